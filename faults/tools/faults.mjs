/** Every fault, by the name of its file. */
export const FAULTS = ["kills", "race", "stopped", "cut", "clocks", "rolling", "disk"];
