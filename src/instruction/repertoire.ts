// Reads and writes repertoires. Files of people come through here: what is wrong is said with the file, the entry and
// what would be right, all of it at once.

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { parseDocument, stringify } from "yaml";
import { z } from "zod";
import { messageOf, usageError } from "../base/errors.ts";
import { shorten } from "../base/format.ts";
import { didYouMean } from "../base/suggest.ts";
import { readSlots, toTemplate } from "./slots.ts";
import {
  type AnswerForm,
  type Instruction,
  LANGUAGES,
  type Lineage,
  type Repertoire,
  ROLES,
  type Sight,
  type Wording,
  type Work,
} from "./types.ts";

const SHIPPED = fileURLToPath(new URL("../../models/repertoire.yaml", import.meta.url));
const SIGHTS = ["nothing", "plan", "answer", "answers"] as const satisfies readonly Sight[];
const FIELDS = { instructions: "instructions", works: "works", forms: "forms" } as const;
/** Whoever has more wrong than this sees the rest after mending these. */
const MOST_SHOWN = 30;
const MOST_ANCESTORS = 1000;

const id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/);
const sentence = z.string().trim().min(1).max(2000);
const wording = z.strictObject({
  en: sentence,
  de: sentence.optional(),
  fr: sentence.optional(),
  es: sentence.optional(),
});
const gain = z.strictObject({
  mean: z.number(),
  low: z.number(),
  high: z.number(),
  comparisons: z.int().min(0),
});
const by = z.string().min(1);
const ancestor = z.strictObject({ id, text: sentence, by, gain: gain.optional() });
const lineage: z.ZodType<Lineage> = z.strictObject({
  parent: id,
  parentText: sentence.optional(),
  by,
  gain: gain.optional(),
  earlier: z.array(ancestor).max(MOST_ANCESTORS).optional(),
});
const entries = {
  instructions: z.strictObject({
    id,
    role: z.enum(ROLES),
    needs: z.enum(SIGHTS).default("nothing"),
    text: wording,
    lineage: lineage.optional(),
  }),
  works: z.strictObject({ id, cues: z.array(z.string().trim().min(1)).default([]), text: wording }),
  forms: z.strictObject({ id, text: wording }),
};
const fileSchema = z.strictObject({
  extends: z.literal("shipped").optional(),
  instructions: z.array(z.unknown()).default([]),
  works: z.array(z.unknown()).default([]),
  forms: z.array(z.unknown()).default([]),
});

let shipped: Repertoire | undefined;

/** The shipped repertoire, read once, or that of a file. */
export function loadRepertoire(file?: string): Repertoire {
  if (file !== undefined) return parseRepertoire(readText(file), file);
  shipped ??= parseRepertoire(readText(SHIPPED), basename(SHIPPED));
  return shipped;
}

/** Of a text; `where` names it in errors. Throws a usage error that names every problem. */
export function parseRepertoire(yaml: string, where: string): Repertoire {
  const document = parseDocument(yaml, { prettyErrors: true });
  const [broken] = document.errors;
  if (broken) throw usageError(`${where} is no YAML: ${broken.message.split("\n")[0]}`);
  const file = fileSchema.safeParse(toPlain(document, where));
  if (!file.success)
    throw usageError(file.error.issues.map((issue) => `${where}: ${toText(issue)}`).join("\n"));
  const problems: string[] = [];
  const read = <Entry extends { id: string }>(name: keyof typeof FIELDS, one: z.ZodType<Entry>) =>
    readEntries(file.data[name], one, name, problems);
  const instructions = read("instructions", entries.instructions).map((entry) => {
    const slots = readSlots(entry.text.en);
    problems.push(...findSlotProblems(`instruction "${entry.id}"`, entry.text));
    return { ...entry, slots };
  });
  const works = read("works", entries.works).map((work) => ({
    ...work,
    cues: work.cues.map((cue) => cue.toLowerCase()),
  }));
  const forms = read("forms", entries.forms);
  for (const [what, list] of [["work", works] as const, ["form", forms] as const]) {
    for (const { id, text } of list) problems.push(...findFillingProblems(`${what} "${id}"`, text));
  }
  const own: Repertoire = { instructions, works, forms };
  const whole = file.data.extends ? extend(loadRepertoire(), own) : own;
  if (problems.length === 0) problems.push(...findGaps(whole));
  if (problems.length === 0) return whole;
  const shown = problems.slice(0, MOST_SHOWN).map((problem) => `${where}: ${problem}`);
  const more = problems.length - shown.length;
  throw usageError([...shown, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n"));
}

/** As a file that `parseRepertoire` reads to the same again. */
export function toRepertoireYaml({ instructions, works, forms }: Repertoire): string {
  const plain = {
    instructions: instructions.map(({ id, role, needs, text, lineage }) => ({
      ...{ id, role },
      ...(needs !== "nothing" && { needs }),
      text: toPlainWording(text),
      ...(lineage && { lineage }),
    })),
    works: works.map(({ id, cues, text }) => ({ id, cues: [...cues], text: toPlainWording(text) })),
    forms: forms.map(({ id, text }) => ({ id, text: toPlainWording(text) })),
  };
  const comment = "# A repertoire of instructions; docs/instructions.md says how it is read and extended.\n";
  return `${comment}${stringify(plain, { lineWidth: 0, defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" })}`;
}

// ---- Reading --------------------------------------------------------------------------------------

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw usageError(`The repertoire ${file} cannot be read: ${messageOf(error)}`, error);
  }
}

/** Aliases are bounded by the parser: a file of them must not fill the memory. */
function toPlain(document: ReturnType<typeof parseDocument>, where: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 }) ?? {};
  } catch (error) {
    throw usageError(`${where} is no repertoire: ${messageOf(error)}`, error);
  }
}

function readEntries<Entry extends { id: string }>(
  list: readonly unknown[],
  schema: z.ZodType<Entry>,
  name: string,
  problems: string[],
): Entry[] {
  const kind = name.slice(0, -1);
  const seen = new Set<string>();
  return list.flatMap((raw, i) => {
    const called =
      raw !== null && typeof raw === "object" && "id" in raw && typeof raw.id === "string"
        ? `"${shorten(raw.id, 64)}"`
        : `number ${i + 1}`;
    const parsed = schema.safeParse(raw);
    if (!parsed.success) {
      problems.push(...parsed.error.issues.map((issue) => `${kind} ${called}: ${toText(issue, raw)}`));
      return [];
    }
    if (seen.has(parsed.data.id)) {
      problems.push(`${kind} ${called} is there twice; ids are unique in a file`);
      return [];
    }
    seen.add(parsed.data.id);
    return [parsed.data];
  });
}

function toText(issue: z.core.$ZodIssue, raw?: unknown): string {
  const field = issue.path.join(".");
  const found = field === "" ? undefined : valueAt(raw, issue.path);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => `unknown field "${shorten(key, 64)}"`).join(", ");
    case "invalid_value": {
      const known = issue.values.map(String);
      const wrong = shorten(String(found), 64);
      if (field === "extends") return 'extends must be "shipped", or left out';
      return `unknown ${field} "${wrong}" (there are: ${known.join(", ")}).${didYouMean(wrong, known)}`;
    }
    case "invalid_format":
      return `${field} "${shorten(String(found), 64)}" must be of small letters, digits and hyphens`;
    default:
      if (field === "text.en" && found === undefined)
        return "text.en is missing: every entry has an English text";
      if (found === undefined && field !== "") return `${field} is missing`;
      return field === "" ? issue.message : `${field}: ${issue.message}`;
  }
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw;
  for (const key of path) {
    if (value === null || typeof value !== "object") return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

// ---- What fits together ----------------------------------------------------------------------------

function findSlotProblems(entry: string, text: Wording): string[] {
  const problems: string[] = [];
  const english = readSlots(text.en);
  for (const language of LANGUAGES) {
    const sentences = text[language];
    if (sentences === undefined) continue;
    const { unknown, twice } = toTemplate(sentences);
    for (const slot of unknown)
      problems.push(
        `${entry}, ${language}: unknown slot "${shorten(slot, 40)}" (there are: {work}, {part}, {form})`,
      );
    for (const slot of twice)
      problems.push(`${entry}, ${language}: {${slot}} stands there twice; once is right`);
    const slots = readSlots(sentences);
    if (slots.join() !== english.join())
      problems.push(
        `${entry}, ${language}: has ${named(slots)} where the English text has ${named(english)}; both must have the same`,
      );
  }
  return problems;
}

function named(slots: readonly string[]): string {
  return slots.length === 0 ? "no slot" : slots.map((slot) => `{${slot}}`).join(" and ");
}

function findFillingProblems(entry: string, text: Wording): string[] {
  return LANGUAGES.flatMap((language) => {
    const phrase = text[language];
    if (phrase === undefined) return [];
    if (/[{}]/.test(phrase)) return [`${entry}, ${language}: fills a slot, so it has none itself`];
    return /[.!?:;]$/.test(phrase)
      ? [`${entry}, ${language}: is a phrase, so it ends without punctuation`]
      : [];
  });
}

/** Without these nobody could be told anything, or a slot would have nothing to be filled with. */
function findGaps({ instructions, works, forms }: Repertoire): string[] {
  const gaps: string[] = [];
  // A question may have no part to name.
  const isAlways = ({ role, needs, slots }: Instruction) =>
    role === "solve" && needs === "nothing" && !slots.includes("part");
  if (!instructions.some(isAlways))
    gaps.push(
      'no instruction of the role solve that needs nothing and has no {part} (add one, or begin with "extends: shipped")',
    );
  if (
    instructions.some(({ slots }) => slots.includes("work")) &&
    !works.some(({ cues }) => cues.length === 0)
  )
    gaps.push("no work without cues, so that questions of no known kind have none (add one with cues: [])");
  if (instructions.some(({ slots }) => slots.includes("form")) && forms.length === 0)
    gaps.push("{form} is used, and there is no form");
  return gaps;
}

function extend(base: Repertoire, own: Repertoire): Repertoire {
  return {
    instructions: extendList<Instruction>(base.instructions, own.instructions),
    works: extendList<Work>(base.works, own.works),
    forms: extendList<AnswerForm>(base.forms, own.forms),
  };
}

/** What has the id of an entry takes its place, everything else follows. */
function extendList<Entry extends { id: string }>(base: readonly Entry[], own: readonly Entry[]): Entry[] {
  const byId = new Map([...base, ...own].map((entry) => [entry.id, entry]));
  return [...byId.values()];
}

function toPlainWording(text: Wording): Wording {
  return Object.fromEntries(
    LANGUAGES.flatMap((language) => (text[language] === undefined ? [] : [[language, text[language]]])),
  ) as unknown as Wording;
}
