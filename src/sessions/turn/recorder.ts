import type { AgentEvent, DriverEvent } from '../../agents/driver.ts';
import { fitBeginning, fitJson } from '../../agents/fit.ts';
import { ARTEFACT_BYTES, type Artefact } from '../../contract/artefact.ts';
import type { EventPayloads, HandlerEvents, NoOthers } from '../../contract/events/table.ts';
import { byteLength, type Json } from '../../contract/values/json.ts';
import type { Masker, MaskStream } from '../../policy/masking/masker.ts';
import { messageOf } from '../../queue/handler-result.ts';
import type { AttemptContext } from '../../queue/worker/attempt-context.ts';
import { fitEnd } from './fit-end.ts';
import { maskInPieces } from './mask-in-pieces.ts';
import { bytesOf, type OutputBudget } from './output-budget.ts';

/** Pieces that arrive within this time become one event (E6). */
const COALESCE_MS = 50;
/** A piece that reaches this size is written without waiting. */
const DELTA_CHARACTERS = 16 * 1024;
/** Measured as JSON; below the limit for an event. */
const MESSAGE_BYTES = 200 * 1024;

const NOTICE_BYTES = 8192;
/**
 * How often the newest output is stored once the budget is spent (E10), and how long a result may
 * be from then on.
 */
const NEWEST_MS = 10_000;
const RESULT_BYTES = 4096;
/**
 * Once the budget is spent, at most one event of these types is stored per NEWEST_MS. Calls and
 * results are always stored, because they show what was done (Q16).
 */
const OPTIONAL: ReadonlySet<keyof HandlerEvents> = new Set(['agent.notice', 'agent.thinking']);

const NOT_KEPT = 'The full text of a long result could not be saved:';

type Source = 'stdout' | 'stderr' | 'agent';

export interface RecorderOptions {
  readonly context: Pick<AttemptContext<HandlerEvents>, 'emit' | 'room'>;
  readonly masker: Masker;
  readonly maskJson: (value: Json) => Json;
  /** Masks tool calls, so that no mask covers shell syntax (P4). */
  readonly maskCall: (input: Json) => Json;
  readonly budget: OutputBudget;
  /** Saves a tool result that is too long for an event, under the id of its call (E5). */
  readonly keep: (call: string, text: string) => Promise<Artefact>;
}

/**
 * The only writer of agent events. The recorder masks what an agent says (E8), joins small pieces,
 * and waits while the buffer for the database is full, so that output is read no faster than it can
 * be stored (E7). Once the run's budget is spent, only the newest output is stored, periodically
 * and at the end, and tool results are cut short (E10).
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #streams = new Map<Source, MaskStream>();
  #pending = '';
  #source: Source = 'agent';
  #timer: NodeJS.Timeout | null = null;
  /** The log already contains the notice that output is missing from here on. */
  #hasGap = false;
  #lastOptional = Number.NEGATIVE_INFINITY;
  /** An error that occurred when a timer stored something; the next call throws it. */
  #failure: unknown = null;
  /** The last event being stored. Once it is stored, so are all events before it. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  async take(event: Exclude<DriverEvent, { kind: 'end' }>): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    const { masker } = this.#options;
    switch (event.kind) {
      case 'delta':
        await this.#delta(event.stream ?? 'agent', event.text);
        return;
      case 'message': {
        this.#endStreams();
        const { text, truncated } = fitEnd(
          await maskInPieces(masker, event.text, 'agents'),
          MESSAGE_BYTES,
        );
        const cut = truncated || event.truncated === true;
        await this.#emit('agent.message', cut ? { text, truncated: true } : { text });
        return;
      }
      case 'notice':
        if (await this.#isDropped('agent.notice', event.text)) return;
        await this.#notice(await maskInPieces(masker, event.text, 'agents'));
        return;
      case 'event':
        this.#flush();
        await this.#event(event);
        return;
      case 'init':
      case 'usage':
        // Handled by agent-turn.ts.
        return;
    }
  }

  async #event(event: AgentEvent): Promise<void> {
    if (event.type === 'agent.tool_use') return this.#call(event.payload);
    if (event.type === 'agent.tool_result') return this.#result(event.payload);
    const { type, payload } = event;
    if (await this.#isDropped(type, payload)) return;
    if (!('text' in payload)) return this.#emit(type, this.#masked(payload));
    const { text, ...rest } = payload;
    const { fields } = await this.#fit(text);
    return this.#emit(type, { ...this.#masked(rest), ...fields });
  }

  #call({ input, ...rest }: EventPayloads['agent.tool_use']): Promise<void> {
    const { value, truncated } = fitJson(this.#options.maskCall(input));
    const call = { ...this.#masked(rest), input: value };
    return this.#emit('agent.tool_use', truncated ? { ...call, truncated } : call);
  }

  async #result({ text, ...rest }: EventPayloads['agent.tool_result']): Promise<void> {
    const { budget } = this.#options;
    const { fields, cut } = await this.#fit(text, budget.isUsedUp ? RESULT_BYTES : undefined);
    const event = { ...this.#masked(rest), ...fields };
    if (cut === null) return this.#emit('agent.tool_result', event);
    if (!budget.has(Math.min(byteLength(cut), ARTEFACT_BYTES))) {
      this.#noteGap();
      return this.#emit('agent.tool_result', event);
    }
    try {
      const artefact = await this.#options.keep(event.id, cut);
      budget.spend(artefact.bytes);
      await this.#emit('agent.tool_result', { ...event, artefact });
    } catch (error) {
      await this.#emit('agent.tool_result', event);
      await this.#notice(`${NOT_KEPT} ${messageOf(error)}`);
    }
  }

  /**
   * Masks text before cutting it, so that a cut never leaves half a secret. `cut` is the whole
   * masked text if the fields contain only its beginning. They are checked where they are emitted.
   */
  async #fit(given: string, maxBytes?: number) {
    const text = await maskInPieces(this.#options.masker, given, 'agents');
    const { value, truncated } = fitBeginning(text, maxBytes);
    return truncated
      ? { fields: { text: value, truncated }, cut: text }
      : { fields: { text }, cut: null };
  }

  /** Masking does not change the form of a payload. */
  #masked<P extends object>(payload: P): P {
    return this.#options.maskJson(payload as Json) as P;
  }

  async #isDropped(type: keyof HandlerEvents, payload: Json): Promise<boolean> {
    const { budget } = this.#options;
    if (!budget.isUsedUp || !OPTIONAL.has(type)) return false;
    this.#noteGap();
    await budget.pace(bytesOf(payload));
    const now = performance.now();
    if (now - this.#lastOptional < NEWEST_MS) return true;
    this.#lastOptional = now;
    return false;
  }

  #notice(text: string): Promise<void> {
    return this.#emit('agent.notice', { text: fitBeginning(text, NOTICE_BYTES).value });
  }

  /** Resolves when everything taken so far is stored. */
  async stored(): Promise<void> {
    this.#flush();
    await this.#last;
  }

  /** Writes the output that was held back. No more events may be recorded afterwards. */
  end(): void {
    this.#endStreams();
  }

  async #delta(source: Source, text: string): Promise<void> {
    let stream = this.#streams.get(source);
    if (stream === undefined) {
      stream = this.#options.masker.stream();
      this.#streams.set(source, stream);
    }
    this.#add(source, stream.push(text));
    const { context, budget } = this.#options;
    await context.room();
    if (budget.isUsedUp) await budget.pace(text.length);
  }

  #add(source: Source, text: string): void {
    if (text === '') return;
    if (this.#options.budget.isUsedUp) {
      this.#addNewest(source, text);
      return;
    }
    if (source !== this.#source) this.#flush();
    this.#source = source;
    for (let rest = text; rest !== ''; ) {
      const piece = rest.slice(0, DELTA_CHARACTERS - this.#pending.length);
      this.#pending += piece;
      rest = rest.slice(piece.length);
      if (this.#pending.length >= DELTA_CHARACTERS) this.#flush();
    }
    if (this.#pending !== '') this.#timer ??= setTimeout(() => this.#flush(), COALESCE_MS);
  }

  #addNewest(source: Source, text: string): void {
    if (!this.#hasGap) this.#flush();
    this.#noteGap();
    const before = source === this.#source ? this.#pending : '';
    this.#source = source;
    this.#pending = (before + text).slice(-DELTA_CHARACTERS);
    this.#timer ??= setTimeout(() => this.#flush(), NEWEST_MS);
  }

  #noteGap(): void {
    if (this.#hasGap) return;
    this.#hasGap = true;
    const mib = Math.round(this.#options.budget.bytes / 1024 / 1024);
    const text = `This run has reached its storage limit of ${mib} MiB (BATON_RUN_OUTPUT_MIB). From here on, the log contains only the newest part of its output and the beginning of long results. The agent continues.`;
    this.#send('agent.notice', { text, gap: true });
  }

  #endStreams(): void {
    for (const [source, stream] of this.#streams) this.#add(source, stream.end());
    this.#streams.clear();
    this.#flush();
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#pending === '') return;
    const text = this.#pending.toWellFormed();
    const payload = this.#source === 'agent' ? { text } : { text, stream: this.#source };
    this.#pending = '';
    try {
      // Not awaited: room() slows the agent down, and the signal reports if the run is lost.
      this.#send('agent.delta', payload);
    } catch (error) {
      this.#failure ??= error;
    }
  }

  async #emit<T extends keyof HandlerEvents, P extends HandlerEvents[T]>(
    type: T,
    payload: P & NoOthers<P, HandlerEvents[T]>,
  ): Promise<void> {
    this.#flush();
    this.#send(type, payload);
    await this.#options.context.room();
  }

  #send<T extends keyof HandlerEvents, P extends HandlerEvents[T]>(
    type: T,
    payload: P & NoOthers<P, HandlerEvents[T]>,
  ): void {
    this.#options.budget.spend(bytesOf(payload as Json));
    this.#last = this.#options.context.emit(type, payload);
    this.#last.catch(() => {});
  }
}
