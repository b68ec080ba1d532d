// Words that hold sentences together, by language: what a language is known by, and where an English noun phrase begins and
// ends. Only words that are common in one of the four languages and rare in the others tell them apart.

import type { LanguageCode } from "./types.ts";

const set = (words: string) => new Set(words.split(/\s+/));

export const TELLING: Record<LanguageCode, ReadonlySet<string>> = {
  en: set(`the of and to is are were what which who how when where why that this these those with from for you your it
  its his her their they we he she have has had does did can could should would will not be been by if then
  than at into there please my give find write explain many much`),
  de: set(`der die das den dem des ein eine einen einem einer eines und ist sind war waren wird werden was welche
  welcher welches wer wie wann wo warum dass mit von vom für auf aus bei nach zu zum zur im am nicht kein
  keine ich du er wir ihr sie sich hat haben kann können soll viel viele wenn oder aber auch mein meine
  bitte über unter gib schreibe`),
  fr: set(`le la les des du un une et est sont était dans avec pour sur par que qui quel quelle quels quelles comment
  combien pourquoi où quand ce cette ces cet il elle nous vous ils elles ne pas plus au aux mon ma mes son
  sa ses leur fait être avoir peut si ou mais donc chaque écris donne explique je tu`),
  es: set(`el la los las un una unos unas y es son era fue en con para por que qué quién cuál cuáles cómo cuánto cuánta
  cuántos cuántas dónde cuándo del al se no su sus lo más este esta estos estas ese esa hay tiene tienen
  puede si o pero como mi tu yo cada escribe explica dame de`),
};

export const DETERMINERS =
  set(`the a an this these those each every either neither both some any no my your his her its our their another
  all`);

export const PREPOSITIONS =
  set(`of in on at by for from to with without into onto over under above below between among about across after
  against along around as before behind beside beyond during except inside like near off out outside past
  per since through throughout toward towards until up upon via within than together apart back down away`);

/** Those after which a phrase that is asked for goes on: "the tiles for the border". */
export const LINKING = set(
  "of for from to in between with on at by per among within against under over about after before",
);

/** Everything else that no noun phrase holds. */
export const BREAKS =
  set(`and or but nor so yet if when while where because although though unless whether that who whom whose which
  what how why i you he she it we they me him us them myself yourself itself themselves mine yours hers ours
  theirs one's there here is are was were be been being am do does did done has have had having can could
  may might must shall should will would not never also too very just only then now again once still even
  already always often sometimes else how's what's who's let's i'm you're it's don't doesn't didn't isn't
  aren't can't won't please yes least most much many more less few several enough almost about approximately
  exactly tomorrow yesterday today later ago soon everyone someone anyone nobody everybody everything
  something nothing anything more than nor versus vs etc ie eg such other others first second third fourth
  fifth one ones`);

/** At the end of a phrase they belong to the measure before them: "30 m wide". */
export const TRAILING =
  set(`long wide high tall deep old thick heavy big large small little good bad true false right wrong best worst
  same different equal available possible likely equally each together apart empty full half necessary
  important open alone`);

/** How a number of them is counted, so that alone they say little of what is asked. */
export const MEASURES =
  set(`dollars dollar euros euro pounds pound cents km kilometres kilometers kilometre metres meters metre meter
  centimetres cm mm m kilograms kilogram kg grams gram g litres liters litre l millilitres tonnes hours hour
  minutes minute seconds second days day weeks week months month years year percent times degrees miles feet
  inches square cubic units number amount total value thing things people person way ways kind part result
  answer`);

/** What follows them is counted, and a noun. */
export const NUMBER_WORDS = set(
  "two three four five six seven eight nine ten eleven twelve hundred thousand million dozen",
);

/** Verbs in their base form, of which the other forms are made: they end a noun phrase. */
export const VERBS =
  set(`accept accompany achieve act adapt add admire admit adopt advise affect afford agree aim allow analyse
  analyze answer appear apply argue arise arrange arrive ask assume assign balance bear beat become begin
  behave believe belong bind bite blow boil borrow break bring build burn buy calculate call care carry
  cause change charge check choose claim classify clean climb collect combine come compare complete compute
  concern conduct confirm confuse conclude connect consider consist contain continue contribute convert cook
  cool copy correct cost count cover create cut cycle deal debug decide declare decrease defend define
  deliver depend describe design determine develop die differ dig discover discuss divide dominate do double
  draw drink drive drop earn eat eliminate employ enable encode end enter equal escape estimate evaluate
  exceed exist expand expect explain exploit express extract face factor fall feed feel fence fight fill
  find finish fit fix flow fly follow forget form format gain generate get give go grow guess handle happen
  hear help hide hire hit hold hope host identify ignore imagine imply illustrate implement improve include
  increase indicate influence integrate interpret introduce invent involve join keep kill know land last lay
  lead learn leave lend let lie lower lift list live load look lose love make manage mark match mean measure
  meet melt mention mix move multiply name need note notice obey observe obtain occur offer operate oppose
  open order output own paint parse pass pave pay perform pick place plan plant play plot point pour prepare
  present press prevent print produce promise prove provide publish pull push put race rain raise reach
  react read receive recommend reduce refer refuse rely remain remember remove rent repair repeat replace
  reply represent require rest result return reverse review rewrite ride rise roll rotate run satisfy save
  say see seem sell send separate serve set settle share ship shift shine show simplify sing sink sit sketch
  sleep slow solve sort sound speak spend split stand start state stay stop store study subtract succeed
  suffer suggest sum summarise summarize supply support suppose surround swim take talk teach tell test
  think throw tie touch trace train translate travel treat trigger try turn type understand use vary verify
  visit wait walk want wash watch wear weigh win wish work worry write yield collapse abandon absorb
  accelerate accuse acquire address adjust announce appoint approach approve assess attach attack attend
  attract avoid award bake ban blame bless book boost bounce brew bury calm cancel capture cast celebrate
  challenge chase cite climb coach code command comment commit communicate compile compress condense
  conserve construct consult consume contrast control cope crash criticise cross deduce delay delete demand
  deny deploy deposit derive desire destroy detect devote diagnose dictate disappear dissolve distinguish
  distribute doubt download drag dress dry earn educate elect emerge emit emphasise enclose encourage
  enforce engage enhance enjoy ensure enrich establish evolve examine exchange execute exercise export
  expose expire fetch file filter finance fire float fold forbid force forecast freeze fuel fulfil fund
  gather govern grade grant guide harm hate heat host hunt hurt implicate impose impress induce infer inform
  inherit inhibit insert insist inspect install insure intend invest invite isolate issue judge jump justify
  kick kiss label lack laugh launch lease lick limit link lock log lower maintain map marry mature memorise
  migrate monitor motivate negotiate neglect nest normalise obey order organise outline outperform overcome
  owe pack park penetrate permit persist persuade phone pick pitch plead please polish possess postpone
  preach predict prefer prescribe preserve press pretend prevail print proceed process prohibit project
  propose protect protest purchase pursue qualify quote rank rate realise recall reckon record recover
  recycle refactor regard register regulate reject relate release relieve render reorganise rephrase report
  rescue reserve reside resign resist resolve respond restore restrict resume retain retire retrieve reveal
  ride ring rotate sample scale scan schedule score search seek select serve shape share shorten shout
  shrink sign signal sink smoke solidify spare specify spell spin split spread squeeze stabilise stack steal
  stick stimulate stir strike struggle submit substitute sue survive sustain swap sweep swell synthesise
  tackle target taste tend threaten tie tolerate total track trade transfer transform transmit transport
  trust tune twist undergo undo unlock unwind update upgrade upload urge validate value vanish vote warn
  waste water weaken welcome widen withdraw witness wonder wrap`);

/** Forms that are not made by adding -s, -ed or -ing. */
export const IRREGULAR_VERBS =
  set(`became began bent bound bought brought broke broken built came caught chose chosen cut drew drawn drove
  driven ate eaten fell fallen felt found flew flown forgot gave given went gone got grew grown heard held
  kept knew known laid led left lent lost made meant met paid put ran said sat saw seen sold sent shown
  slept spoke spoken spent stood swam taken took taught told thought threw understood won wore wrote written
  said says`);

/** As often a thing as an act: after a noun in the singular they are one. */
export const ALSO_NOUNS =
  set(`answer balance call care cause change charge check claim cost count cover cut cycle deal design draw drink
  drop end estimate face factor fall fence fight fill fit fix flow force form format gain guess help hit
  land lead lie lift list load look love mark match measure mix move name need note offer open order output
  paint pass pay place plan plant play plot point present press print promise pull push race rain raise
  reply rent repair rest result return reverse review ride rise roll run sale sail set share shine show
  sketch sleep sort sound split stand start state stay stop store study sum supply support test tie touch
  trace train travel treat trigger try turn type use visit wait walk want wash watch win wish work worry
  yield address approach attack attempt award ban blame book boost cast challenge code command comment
  contrast control crash cross delay demand deposit desire doubt dress email exchange exercise export file
  filter finance fire float fold fuel fund grade grant guide harm heat host hunt issue judge jump kick label
  lack laugh launch lease limit link lock log map nest outline pack park permit phone pitch process project
  protest purchase quote rank rate record regard register release report rescue reserve ring sample scale
  scan schedule score search shape sign signal smoke spin spread stack stick strike struggle swap target
  taste total track trade transfer transport trust tune twist update upgrade value vote waste water welcome
  witness wonder wrap copy season model root`);

/** Of these the next word is what they say something of: a noun, also where it could be a verb. */
export const ADJECTIVES =
  set(`last next new old main final whole total current previous following good best small large high low long
  short big same other public private national social free double open clean cool complete correct separate
  slow equal dry close live present major minor real local global early late young right left lower upper`);

/** They end like the past of a verb, and are none. */
export const NOT_PAST = set(
  `red bed hundred need speed seed feed shed bred breed weed deed reed indeed kindred sacred naked wicked`,
);
/** They end in -ing or -ly, and are things or their qualities. */
export const NOT_VERBAL =
  set(`string strings thing things king kings ring rings spring springs wing wings evening morning building
  buildings ceiling meeting meetings wedding swing sibling family reply supply july italy fly ally assembly
  daily weekly monthly yearly early only elderly likely friendly holy`);
