import type { AgentDriver, DriverEvent, Turn } from './driver.ts';

export interface Timeouts {
  /** How long a whole run may take. */
  readonly runMs: number;
  /** How long the agent may print nothing while no tool is running. */
  readonly silenceMs: number;
}

export const TIMEOUTS: Timeouts = { runMs: 60 * 60_000, silenceMs: 10 * 60_000 };

/** Wraps a driver: stops it when a limit is reached, and fails with `timeout` (A8). */
export const withTimeouts = (driver: AgentDriver, timeouts: Timeouts = TIMEOUTS): AgentDriver => ({
  ...driver,
  run: (turn) => run(driver, turn, timeouts),
});

async function* run(
  driver: AgentDriver,
  turn: Turn,
  { runMs, silenceMs }: Timeouts,
): AsyncGenerator<DriverEvent> {
  const late = new AbortController();
  let reason: string | null = null;
  const stopAfter = (ms: number, why: string): NodeJS.Timeout =>
    setTimeout(() => {
      // If the caller aborted, the outcome stays `stopped`.
      if (!turn.signal.aborted) reason ??= why;
      late.abort();
    }, ms);
  const wholeRun = stopAfter(runMs, `The agent ran for more than ${inWords(runMs)}.`);
  const signal = AbortSignal.any([turn.signal, late.signal]);
  const events = driver.run({ ...turn, signal })[Symbol.asyncIterator]();
  let openTools = 0;
  try {
    for (;;) {
      // Counts only while waiting for the agent, because a slow consumer does not make the agent
      // silent.
      const silence =
        openTools > 0
          ? undefined
          : stopAfter(silenceMs, `The agent produced no output for ${inWords(silenceMs)}.`);
      const next = await events.next().finally(() => clearTimeout(silence));
      if (next.done === true) return;
      const event = next.value;
      if (event.kind === 'event' && event.type === 'agent.tool_use') openTools++;
      if (event.kind === 'event' && event.type === 'agent.tool_result') {
        openTools = Math.max(0, openTools - 1);
      }
      yield reason === null ? event : asTimeout(event, reason);
    }
  } finally {
    clearTimeout(wholeRun);
    await events.return?.();
  }
}

/** An agent that exited on its own just before the limit keeps its own outcome. */
function asTimeout(event: DriverEvent, message: string): DriverEvent {
  if (event.kind !== 'end' || event.end.outcome.kind !== 'stopped') return event;
  const outcome = { kind: 'failed', error: { class: 'timeout', message } } as const;
  return { kind: 'end', end: { ...event.end, outcome } };
}

function inWords(ms: number): string {
  const [count, unit] = ms >= 60_000 ? [ms / 60_000, 'minute'] : [ms / 1000, 'second'];
  const rounded = Math.round(count * 10) / 10;
  return `${rounded} ${unit}${rounded === 1 ? '' : 's'}`;
}
