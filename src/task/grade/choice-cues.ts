// The words by which models announce a choice. Apart, because they are data: each pattern was written
// after sentences that models say, and the tests hold those sentences.

const SURE =
  "(?:(?:clearly|definitely|therefore|thus|then|indeed|probably|most likely|likely|actually|now|still),? )*";

/** Behind these stands a claim. */
export const CUES = [
  /\b(?:answer|ans|final|réponse|antwort|respuesta|risposta)(?:\s?\([^()]{0,30}\))?(?:\s(?:is|to [^:]{1,60}))?\s?(?:[:=：]|->|→|[-–—](?=\s))\s?/gi,
  /答案\s?(?:是|为|选|[:：])\s?/g,
  /\b(?:option|choice|selection|pick|guess|conclusion)\s?[:=]\s?/gi,
  new RegExp(
    `\\banswer(?: (?:to|for) (?:the|this) (?:question|problem))?,? (?:is|would be|should be|must be|has to be|will be) ${SURE}`,
    "gi",
  ),
  new RegExp(
    `\\b(?:correct|right|best|only|most (?:likely|accurate|appropriate|suitable|reasonable)|appropriate|matching|closest) (?:option|choice|answer|statement|response|one|letter|match|fit)s?(?: here| among these)? (?:is|are|would be|must be|should be) ${SURE}`,
    "gi",
  ),
  /\b(?:i|we)(?:'d|'ll|'m| would| will| should| must| have to| am)? (?:therefore |thus |then )?(?:choose|pick|select|opt for|vote for|say|answer|guess|conclude(?: that)?|go(?:ing)? with|choosing|selecting|picking) /gi,
  /\b(?:my|our|the) (?:final |best )?(?:choice|pick|guess|selection|vote) (?:is|would be) /gi,
  /\b(?:change|changing|correct|revise|update) (?:my answer |it |that |this )?to /gi,
];

/** Behind these a claim must be a letter and no more. */
export const WEAK_CUES = [
  /^(?:so|thus|hence|therefore|consequently|in conclusion|overall|ultimately|finally|then|∴)[,:]? (?:it(?:'s| is| must be) |that's |that is |this is |we have |we get )?/gi,
  /(?:^|[,;?—–-]\s)(?:no|wait|actually|correction|sorry|oops|rather|hmm|i mean)[,:!.]?(?: (?:no|wait|actually|sorry|i meant?)[,:!]?)* (?:it(?:'s| is| should be) |make that |i mean )?/gi,
  /\b(?:leaves?|leaving|left with)(?: us)?(?: with)?(?: only)? /gi,
  /\b(?:corresponds?|corresponding|matches|matching|points?|leads?|pointing|leading)(?: to| with)? (?=\(|option|choice|answer)/gi,
  /\b(?:it|this|that)(?:'s| is| must be| has to be| should be) (?:clearly |definitely |probably |likely )?/gi,
  /\bbut (?:i(?:'d| would) say )?(?=\(?[A-T]\)?[.!]?$)/g,
];

const LETTER = String.raw`\(?\b([A-T])\b\)?`;
/** No set has more options than letters here; without a bound a reply of nothing but letters takes the square of its length. */
const LIST = String.raw`(?:\(?\b[A-T]\b\)?(?:,\s*(?:and |or )?|\s+(?:and|or|&)\s+)){1,19}\(?\b[A-T]\b\)?`;
/** "A is right" chooses, "A is right of B" does not. */
const END = String.raw`(?= (?:option|choice|answer|one|response|fit|match|here|because|since|as)\b|[.,;:!)]|$)`;
const RIGHT = `(?:clearly |definitely |indeed |probably |likely |therefore |thus |obviously )?(?:the |our |my )?(?:single |only |most |final )*(?:(?:correct|right|best|accurate|appropriate|likely|true)${END}|(?:correct )?answers?\\b|winner|(?<=the (?:only )?)(?:one|option|choice)(?= (?:that|which)\\b|[.,]|$))`;

/** Before these stand several claims at once. */
export const SEVERAL_RIGHT = new RegExp(
  `(${LIST}) (?:are|is|could be|would be|seem|look|can be|might be|may be) (?:both |all |equally )*(?:${RIGHT}|possible|plausible|valid)`,
  "g",
);

/** Before these stands one. */
export const ONE_RIGHT = [
  new RegExp(
    String.raw`(?<!\b[Ss]tatement |[Tt]ype |[Pp]art |[Gg]rade |[Ff]igure )${LETTER} (?:is|must be|would be|seems|appears|looks|has to be) (?:to be )?${RIGHT}`,
    "g",
  ),
  new RegExp(
    String.raw`\b(?:option|choice|answer) \(?\b([A-Ta-t])\b\)?(?: \([^()]{0,80}\))? (?:is|must be|would be|seems|appears) (?:to be )?${RIGHT}`,
    "gi",
  ),
  // "(C) LIFO memory is the correct answer", with no other letter on the way.
  /(?:\(([A-T])\)|\b[Oo]ption ([A-T]),?)(?:(?!\([A-Z]\)|\b(?:[B-T]|is|are|not|nor)\b)[^.]){1,80} is (?:the )?(?:correct|right|best)(?: |[.,!]|$)/g,
  new RegExp(`${LETTER} (?:it is|fits best|makes the most sense)\\b`, "g"),
  new RegExp(`\\b[Oo]nly (?:option |choice )?${LETTER} (?:makes sense|works|fits|remains|is left)\\b`, "g"),
];

/** A sentence that only considers an answer does not give it. */
export const ONLY_CONSIDERED =
  /\b(?:if|suppose|supposing|assuming|assume|whether|unless|neither|nor|doubt)\b|(?:n't|\bnot) (?:think|believe)\b|\b(?:might|would|may|could|people|some|many|students) (?:often |also )?(?:say|think|believe|argue|pick|choose|assume)\b/i;
