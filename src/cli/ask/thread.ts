// The thread in which PDF files are read, which may be a stranger's: all that it can be asked for.

import { serveJobs } from "../../isolate/serve-jobs.ts";

/** What all text of a question together may have. */
const MOST_TEXT = 1_048_576;

const JOBS = {
  /** Undefined without the optional package that reads them, and where the file cannot be read. */
  async readPdf(bytes: Uint8Array): Promise<{ text: string; pages: number } | undefined> {
    try {
      const { extractText, getDocumentProxy } = await import("unpdf");
      const document = await getDocumentProxy(bytes);
      const { text, totalPages: pages } = await extractText(document, { mergePages: true });
      return { text: text.slice(0, MOST_TEXT).trim(), pages };
    } catch {
      return undefined;
    }
  },
};

export type AskJobs = typeof JOBS;

serveJobs(JOBS);
