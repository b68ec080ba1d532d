// What may stand around a number without changing it: units, currencies, nouns. A unit is put aside
// here and compared apart.

/** Each line of names is one unit, the first its spelling here. */
const SPELLINGS = new Map(
  `mm millimeter millimetre, cm centimeter centimetre, m meter metre, km kilometer kilometre, in inch inches,
  ft foot feet, yd yard, mi mile, g gram, mg milligram, kg kilogram, lb pound, oz ounce, ml milliliter
  millilitre, l liter litre, gal gallon, s sec second, min minute, h hr hour, day, week, month, year yr,
  dollar usd buck, cent, euro eur, unit, ° degree deg, rad radian, mph, am, pm, j joule, n newton, w watt,
  v volt, hz hertz, kj, mol mole, k kelvin, pa pascal, square sq, cubic cu, person people, point pt`
    .split(/,\s+/)
    .flatMap((line) => {
      const names = line.split(/\s+/);
      return names.map((name): [string, string] => [name, names[0] as string]);
    }),
);

/** Words that change what is said, so that "5 or" and "5 million" keep them. */
const NO_UNITS = new Set(
  "or and not but is are was be to than more less least most over under plus minus times mod modulo if either neither maybe perhaps possibly between from half halves third thirds quarter quarters dozen hundred thousand million billion trillion squared cubed factorial negative positive sin cos tan log ln sqrt pi infinity inf infty base both wrong incorrect false true impossible instead actually wait approximately about around with for where when while equals equal the a an of in on at by as it this that root theta alpha beta".split(
    " ",
  ),
);
/** One letter is a unit only where it is a usual one and does not touch the number, else a variable. */
const SINGLE = new Set([..."mgslhjnvwk"]);

const WRAPPED =
  /\s*\\(?:text|mathrm|textrm|textnormal|mbox|hbox|operatorname)\s*\{([^{}]*)\}\s*(?:\^\s*\{?\s*([23])\s*\}?)?\s*$/;
const WORDS = /(?<=[\d)}%])(\s*)([A-Za-z][A-Za-z./ ]{0,60}?)\.?\s*(?:\^\s*\{?\s*([23])\s*\}?|([²³]))?\s*$/;
const DEGREES = /\s*(?:°|\^\s*(?:\\circ|\{\s*\\circ\s*\})|\\degree)\s*$/;
const CURRENCY = /^\s*(-?)\s*(?:\\\$|US\$|\$|USD\s|€|£)\s*(?=[\d.(\\])/;

/** The text without its unit, and the unit in one spelling. */
export function splitUnit(text: string): { rest: string; unit?: string } {
  const currency = CURRENCY.exec(text);
  if (currency) {
    const sign = currency[0].includes("€") ? "euro" : currency[0].includes("£") ? "pound sterling" : "dollar";
    const { rest, unit } = splitUnit(text.slice(currency[0].length));
    const isSame = unit === undefined || unit === sign;
    return { rest: `${currency[1]}${rest}`, unit: isSame ? sign : `${sign} ${unit}` };
  }
  const degrees = DEGREES.exec(text);
  if (degrees && degrees.index > 0) return { rest: text.slice(0, degrees.index), unit: "°" };
  const wrapped = WRAPPED.exec(text);
  if (wrapped && wrapped.index > 0 && /[\d)}](?:\s|~|\\[,;: !])*$/.test(text.slice(0, wrapped.index))) {
    const unit = toUnit(wrapped[1] ?? "", wrapped[2], true);
    if (unit !== undefined) return { rest: text.slice(0, wrapped.index), unit };
  }
  const words = WORDS.exec(text);
  if (!words) return { rest: text };
  const unit = toUnit(words[2] ?? "", words[3] ?? { "²": "2", "³": "3" }[words[4] ?? ""], words[1] !== "");
  return unit === undefined ? { rest: text } : { rest: text.slice(0, words.index), unit };
}

/** Whether a question names this unit, so that an answer need not repeat it. */
export function namesUnit(question: string, unit: string): boolean {
  if (unit === "°") return /degree|°|\\circ|\bangle/i.test(question);
  if (unit === "dollar") return /\$|dollar|cost|price|money/i.test(question);
  const words = new Set(
    question
      .toLowerCase()
      .match(/[a-z]+/g)
      ?.map(toSpelling),
  );
  return unit
    .split(/[ /^\d]+/)
    .every((word) => word === "" || word === "per" || word === "square" || words.has(word));
}

function toUnit(text: string, exponent: string | undefined, isApart: boolean): string | undefined {
  const words = text
    .toLowerCase()
    .replaceAll(".", "")
    .split(/\s+|(\/)/)
    .filter((word) => word);
  if (words.length === 0 || words.length > 5) return undefined;
  const spelled: string[] = [];
  for (const word of words) {
    if (word === "/" || word === "per") {
      spelled.push("/");
      continue;
    }
    const known = SPELLINGS.get(toSpelling(word));
    if (NO_UNITS.has(word) && word !== "in") return undefined;
    if (word.length === 1 && !(isApart && SINGLE.has(word))) return undefined;
    if (!known && (word.length < 3 || !isApart)) return undefined;
    spelled.push(toSpelling(word));
  }
  const power = spelled[0] === "square" ? "2" : spelled[0] === "cubic" ? "3" : undefined;
  const plain = power ? spelled.slice(1) : spelled;
  const raised = power ?? exponent;
  return plain.join(" ").replace(/ ?\/ ?/g, "/") + (raised ? `^${raised}` : "");
}

function toSpelling(word: string): string {
  const singular = word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
  return SPELLINGS.get(word) ?? SPELLINGS.get(singular) ?? singular;
}
