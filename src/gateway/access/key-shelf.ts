// Where the keys of a gateway are kept, as its ring reads them: here the file of TUTTI_HOME, read again when it has changed. Of
// several gateways on one Postgres it is a table (../service/key-table.ts).

import type { TuttiError } from "../../base/errors.ts";
import { changeKeyFile, type GatewayKey, readKeyFile, toFileMark } from "./key-file.ts";

/** `change` gets the keys as they are now and returns them as they shall be, with its result (key-file.ts). */
export type KeyChange<T> = (keys: readonly GatewayKey[]) => { keys: readonly GatewayKey[]; result: T };

export interface KeyShelf {
  /** As they were about a second ago or later, oldest first: the same list as long as nothing changes. Throws where they cannot be read. */
  current(): readonly GatewayKey[];
  /** What was changed is seen by `current` at once. */
  change<T>(change: KeyChange<T>): Promise<T>;
}

const LOOK_AGAIN_MS = 1_000;

export function openKeyFile(file: string, now: () => number): KeyShelf {
  let keys: readonly GatewayKey[] = [];
  let problem: TuttiError | undefined;
  let mark: string | undefined;
  let lookedAt = 0;

  function read(): void {
    // The mark is older than what is read: a change between the two is seen the next time.
    mark = toFileMark(file);
    try {
      keys = readKeyFile(file);
      problem = undefined;
    } catch (error) {
      problem = error as TuttiError;
    }
  }

  function look(): void {
    const at = now();
    // A clock that was set back must not stop us from looking.
    if (mark !== undefined && Math.abs(at - lookedAt) < LOOK_AGAIN_MS) return;
    lookedAt = at;
    if (toFileMark(file) !== mark) read();
  }

  return {
    current() {
      look();
      if (problem) throw problem;
      return keys;
    },
    async change(change) {
      const result = await changeKeyFile(file, change);
      read();
      return result;
    },
  };
}
