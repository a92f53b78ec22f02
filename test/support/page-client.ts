import type { SessionHint } from '../../src/contract/session-event.ts';

/*
 * Stands for web/api/client.ts in tests of the page's state, which would read the page's address
 * and the build's list of operations. Test files share their modules, so all of them must replace
 * it with this same module.
 */

/** The first parts of the query keys that were invalidated. */
export const stale: string[] = [];

export const client = {
  /** Says once that hints may have been missed. */
  async *hints({ signal }: { signal: AbortSignal }): AsyncGenerator<SessionHint> {
    yield { all: true };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  },
};
export const queries = {
  invalidateQueries: async ({ queryKey }: { queryKey: [string] }) => stale.push(queryKey[0]),
  getQueriesData: () => [],
};
export const noticeError = (): void => {};
