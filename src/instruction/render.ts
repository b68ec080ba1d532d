// A choice of the model as fluent sentences: one line, without a gap, a doubled full stop or a quotation within the same
// quotation marks, whatever fills the slots. A language that has no sentence falls back to English as a whole, so that no
// instruction is of two languages; a filling that has none of its own language stands there in English.

import { toTemplate } from "./slots.ts";
import type { LanguageCode, Saying, SlotName, Wording } from "./types.ts";

/** What stands where a slot was given nothing: true of every question. */
const NOTHING: Record<LanguageCode, Record<SlotName, string>> = {
  en: { work: "do what is asked", part: "what is asked", form: "what is asked for" },
  de: { work: "tun, was gefragt ist", part: "das Gesuchte", form: "wie gefragt" },
  fr: { work: "faire ce qui est demandé", part: "ce qui est demandé", form: "celle qui est demandée" },
  es: { work: "hacer lo que se pide", part: "lo que se pide", form: "la que se pide" },
};

const OPENING = /[“„«"']\s*$/;
const QUOTED = /^(?:“([^”]*)”|„([^“]*)“|«\s*([^»]*?)\s*»|"([^"]*)")$/;

export function renderSaying({ instruction, work, part, form }: Saying, language: LanguageCode): string {
  const own = instruction.text[language];
  const spoken = own === undefined ? "en" : language;
  let text = "";
  for (const piece of toTemplate(own ?? instruction.text.en).pieces) {
    if (typeof piece === "string") {
      text += piece;
      continue;
    }
    const filling = fill(piece.slot) ?? NOTHING[spoken][piece.slot];
    text += OPENING.test(text) ? withoutQuotes(filling) : filling;
  }
  return finish(text);

  function fill(slot: SlotName): string | undefined {
    switch (slot) {
      case "work":
        return work && wordingOf(work.text, spoken);
      case "part":
        return part?.text;
      case "form":
        return form && wordingOf(form.text, spoken);
    }
  }
}

function wordingOf(text: Wording, language: LanguageCode): string {
  return text[language] ?? text.en;
}

/** Inside quotation marks a phrase needs none of its own around it. */
function withoutQuotes(phrase: string): string {
  const quoted = QUOTED.exec(phrase);
  return quoted?.slice(1).find((inside) => inside !== undefined) ?? phrase;
}

function finish(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is copied from a question may hold any.
  const line = text.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
  const clean = line
    // A phrase may end with the punctuation that follows it anyway: "the U.S." and ".", "what?" and ",".
    .replace(/([.!?…])([”“»"]?)\.(?=\s|$)/g, "$1$2")
    .replace(/[.,;:]+([,;:])(?=\s|$)/g, "$1")
    .replace(/ +([.,])(?=\s|$)/g, "$1");
  const ended = /[.?!…][”“»"]?$/.test(clean) ? clean : `${clean.replace(/[,;:]+$/, "")}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}
