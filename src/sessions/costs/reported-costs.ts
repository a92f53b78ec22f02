import type { SessionStore } from '../session-store.ts';

/** The same store, except that it also reports the cost of each invocation once it has ended. */
export const withReportedCosts = <S extends Pick<SessionStore, 'putInvocation'>>(
  store: S,
  onCost: (agent: string, usd: number) => void,
): S => ({
  ...store,
  async putInvocation(...given: Parameters<SessionStore['putInvocation']>) {
    const ended = await store.putInvocation(...given);
    const [{ agent, costUsd }] = given;
    if (ended) onCost(agent, costUsd);
    return ended;
  },
});
