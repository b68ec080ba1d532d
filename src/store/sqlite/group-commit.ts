// Group commit: all writes of one turn of the event loop share one transaction, because a transaction
// costs far more than a row. Writes keep their order; each is done when its transaction is committed.
// A lock of another process is waited for without blocking this one for more than an instant at a time.

export interface GroupCommitOptions {
  /** Performs the jobs in one transaction, or throws and leaves nothing behind. */
  transact<T>(work: () => T): T;
  isBusy(error: unknown): boolean;
  /** How long a lock is waited for before the writes are given up. */
  busyTimeoutMs: number;
}

export interface GroupCommit {
  /** The job may be performed again after a rollback, so it must do nothing but read and write rows. */
  commit<T>(job: () => T): Promise<T>;
}

interface CommitJob {
  perform(): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

const RETRY_MS = 15;

export function createGroupCommit({ transact, isBusy, busyTimeoutMs }: GroupCommitOptions): GroupCommit {
  let waiting: CommitJob[] = [];
  let scheduled = false;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(flush);
  }

  function flush(busySince?: number): void {
    const batch = waiting;
    waiting = [];
    try {
      const results = transact(() => batch.map((job) => job.perform()));
      for (const [i, job] of batch.entries()) job.resolve(results[i]);
    } catch (error) {
      const since = busySince ?? Date.now();
      if (isBusy(error) && Date.now() - since < busyTimeoutMs) {
        waiting = batch;
        setTimeout(flush, RETRY_MS, since);
        return;
      }
      for (const job of batch) job.reject(error);
    }
    scheduled = false;
    if (waiting.length > 0) schedule();
  }

  return {
    commit<T>(job: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        waiting.push({ perform: job, resolve: resolve as (value: unknown) => void, reject });
        schedule();
      });
    },
  };
}
