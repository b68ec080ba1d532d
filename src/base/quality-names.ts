// The names of the quality knob, apart so that the config, the gateway and the dashboard know them without the library.

export const QUALITIES = ["economy", "balanced", "high", "max"] as const;

/** How much an answer may take; `tutti/quality.ts` says what each means. */
export type Quality = (typeof QUALITIES)[number];
