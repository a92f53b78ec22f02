/**
 * Shares one read among all concurrent callers. A caller gets null if the read fails or takes
 * longer than `patienceMs`. While one read hangs, no further read is started, so a database that
 * comes back does not face a backlog of queries.
 */
export function sharedRead<T>(read: () => Promise<T>, patienceMs: number): () => Promise<T | null> {
  let underWay: Promise<T | null> | null = null;
  return () => {
    underWay ??= read()
      .catch(() => null)
      .finally(() => {
        underWay = null;
      });
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(late.resolve, patienceMs, null).unref();
    return Promise.race([underWay, late.promise]).finally(() => clearTimeout(timer));
  };
}
