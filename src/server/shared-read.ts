/**
 * One reading at a time for all who ask, and null for who has waited too long or if it fails. One that
 * hangs is not begun again beside itself, so that a database that is away finds no heap of questions
 * when it comes back.
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
