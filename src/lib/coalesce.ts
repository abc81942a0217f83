/**
 * Many callers, one run: a caller joins only a run that starts after it asked, so that what it did before is in it.
 * While one run goes on, at most one more waits behind it.
 */
export function coalesce(run: () => Promise<void>): () => Promise<void> {
  let next: Promise<void> | undefined;
  let current: Promise<void> = Promise.resolve();

  return function ask(): Promise<void> {
    if (next === undefined) {
      const started = current.then(() => {
        next = undefined;
        return run();
      });
      next = started;
      // The next run waits for this one, whatever comes of it.
      current = started.catch(() => {});
    }
    return next;
  };
}
