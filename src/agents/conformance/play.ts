import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { until } from '../../../test/support/until.ts';
import type { Json } from '../../contract/values/json.ts';
import type { AgentEvent, DriverEnd, DriverEvent, ToolAnswer, ToolCall } from '../driver.ts';
import type { DriverRig, Given } from './rig.ts';

/** One turn. `ended` checks what every turn promises. */
export class Play {
  readonly events: DriverEvent[] = [];
  readonly asked: ToolCall[] = [];
  readonly #rig: DriverRig;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #problem: string | null = null;

  constructor(rig: DriverRig, run: (own: Given) => AsyncIterable<DriverEvent>, given: Given) {
    this.#rig = rig;
    const { permit, signal = this.#stop.signal } = given;
    const own: Given = {
      signal,
      ...(permit !== undefined && {
        permit: async (call, withdrawn): Promise<ToolAnswer> => {
          const emitted = this.payloads('agent.tool_use').map((use) => use['id']);
          if (!emitted.includes(call.id)) this.#problem ??= `${call.id} was asked about unseen`;
          this.asked.push(call);
          return permit(call, withdrawn);
        },
      }),
    };
    this.#done = this.#take(run, own);
    // Awaited later; until then a failure must not be an unhandled rejection.
    this.#done.catch(() => {});
  }

  async #take(run: (own: Given) => AsyncIterable<DriverEvent>, own: Given): Promise<void> {
    for await (const event of run(own)) this.events.push(event);
  }

  stop(): void {
    this.#stop.abort();
  }

  until(holds: (play: this) => boolean): Promise<void> {
    return until(() => holds(this), { ms: this.#rig.patienceMs });
  }

  /**
   * Waits for the end of the turn and checks what every turn promises: nothing is thrown (A1), the
   * last event is the only end event, every text can be stored, and no process is left (A9).
   */
  async ended() {
    const waiting = new AbortController();
    const late = sleep(this.#rig.patienceMs, 'late', { signal: waiting.signal });
    const ending = await Promise.race([this.#done.then(() => 'ended'), late]).finally(() =>
      waiting.abort(),
    );
    expect(ending, 'the turn never ends').toBe('ended');
    const kinds = this.events.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'end')).toEqual(['end']);
    expect(kinds.at(-1)).toBe('end');
    expect(this.#rig.alive, 'processes are left').toEqual([]);
    const text = JSON.stringify(this.events);
    expect(text.isWellFormed() && !text.includes('\\u0000'), 'text can be stored').toBe(true);
    expect(this.#problem).toBeNull();
    const { end } = this.events.at(-1) as { end: DriverEnd };
    return Object.assign(this, { end, outcome: outcomeName(end) });
  }

  /** Everything the agent has said, in pieces and whole. */
  get said(): string {
    return this.events
      .map((event) => (event.kind === 'delta' || event.kind === 'message' ? event.text : ''))
      .join('');
  }

  payloads(type: AgentEvent['type']): Record<string, Json>[] {
    return this.events.flatMap((event) =>
      event.kind === 'event' && event.type === type ? [event.payload as Record<string, Json>] : [],
    );
  }
}

/** The kind of an outcome, or the class of its error. */
const outcomeName = ({ outcome }: DriverEnd): string =>
  outcome.kind === 'failed' ? outcome.error.class : outcome.kind;
