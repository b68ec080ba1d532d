// The Conductor as a worker: a step that is itself performed by a team. The driver hands the nested run
// over as `conduct`; where it is absent, the run is already as deep as it may go.

import { TuttiError } from "../base/errors.ts";
import type { Worker } from "./types.ts";

export function createSelfWorker(): Worker {
  return {
    id: "self",
    kind: "conductor",
    async *ask(request, signal) {
      if (signal.aborted) throw new TuttiError("aborted", 'Worker "self" was stopped.');
      if (!request.conduct) {
        throw new TuttiError(
          "too-deep",
          'Worker "self" may not be asked here: the run is as deep as maxDepth allows.',
        );
      }
      yield* request.conduct(signal);
    },
  };
}
