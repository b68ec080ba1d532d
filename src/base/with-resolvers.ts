// A promise that others settle. (Promise.withResolvers is newer than the oldest Node we run on.)

export interface Resolvers<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** Whoever wants it waits for it: a rejection that nobody waits for does not end the process. */
export function withResolvers<T = void>(): Resolvers<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
