// What is said where words are not learned: one sentence for every step, so that what words are worth can be measured.

import type { Repertoire } from "../../instruction/types.ts";

export const GENERIC_REPERTOIRE: Repertoire = {
  instructions: [
    { id: "answer", role: "solve", needs: "nothing", slots: [], text: { en: "Answer the question." } },
  ],
  works: [{ id: "any", cues: [], text: { en: "answer what is asked" } }],
  forms: [],
};
