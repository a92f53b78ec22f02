import type { DriverEvent } from '../../agents/driver.ts';
import { fitBeginning, fitJson } from '../../agents/fit.ts';
import { ARTEFACT_BYTES, type Artefact } from '../../contract/artefact.ts';
import { byteLength, type Json } from '../../contract/json.ts';
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
 * Once the budget is spent (E10), how often the newest output is stored, and how long a result may
 * be.
 */
const NEWEST_MS = 10_000;
const RESULT_BYTES = 4096;
/**
 * From then on, at most one event of these types is stored per NEWEST_MS. Calls and results are
 * always stored, because they show what was done (Q16).
 */
const OPTIONAL: ReadonlySet<string> = new Set(['agent.notice', 'agent.thinking']);

const NOT_KEPT = 'The full text of a long result could not be saved:';

type Source = 'stdout' | 'stderr' | 'agent';

export interface RecorderOptions {
  readonly context: Pick<AttemptContext, 'emit' | 'room'>;
  readonly masker: Masker;
  readonly maskJson: (value: Json) => Json;
  /** For tool calls: no mask covers shell syntax (P4). */
  readonly maskCall: (input: Json) => Json;
  readonly budget: OutputBudget;
  /** Saves a tool result that is too long for an event, under the id of its call (E5). */
  readonly keep: (call: string, text: string) => Promise<Artefact>;
}

/**
 * The only writer of agent events. It masks what an agent says (E8), joins small pieces, and waits
 * while the buffer to the database is full, so that output is read no faster than it can be stored
 * (E7). Once the run's budget is spent, only the newest output is stored, periodically and at the end,
 * and tool results are cut short (E10).
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
        const { text, truncated } = fitEnd(await maskInPieces(masker, event.text), MESSAGE_BYTES);
        const cut = truncated || event.truncated === true;
        await this.#emit('agent.message', cut ? { text, truncated: true } : { text });
        return;
      }
      case 'notice':
        if (await this.#isDropped('agent.notice', event.text)) return;
        await this.#notice(await maskInPieces(masker, event.text));
        return;
      case 'event':
        this.#flush();
        await this.#event(event.type, event.payload);
        return;
      case 'init':
      case 'usage':
        // Handled by agent-turn.ts.
        return;
    }
  }

  /** Masks before cutting, so that a cut never leaves half a secret. */
  async #event(type: string, payload: Json): Promise<void> {
    const { masker, maskJson, maskCall, budget } = this.#options;
    if (type === 'agent.tool_use') {
      const { input = null, ...rest } = payload as { [name: string]: Json };
      const { value, truncated } = fitJson(maskCall(input));
      const call = { ...(maskJson(rest) as object), input: value };
      return this.#emit(type, truncated ? { ...call, truncated } : call);
    }
    if (await this.#isDropped(type, payload)) return;
    const { text: given, ...rest } = payload as { [name: string]: Json };
    if (typeof given !== 'string') return this.#emit(type, maskJson(payload));
    const text = await maskInPieces(masker, given);
    const masked: { [name: string]: Json } = { ...(maskJson(rest) as object), text };
    const isResult = type === 'agent.tool_result';
    const most = isResult && budget.isUsedUp ? RESULT_BYTES : undefined;
    const { value, truncated } = fitBeginning(text, most);
    if (!truncated) return this.#emit(type, masked);
    const cut = { ...masked, text: value, truncated };
    if (!isResult) return this.#emit(type, cut);
    if (!budget.has(Math.min(byteLength(text), ARTEFACT_BYTES))) {
      this.#noteGap();
      return this.#emit(type, cut);
    }
    try {
      const artefact = await this.#options.keep(String(masked['id']), text);
      budget.spend(artefact.bytes);
      await this.#emit(type, { ...cut, artefact });
    } catch (error) {
      await this.#emit(type, cut);
      await this.#notice(`${NOT_KEPT} ${messageOf(error)}`);
    }
  }

  async #isDropped(type: string, payload: Json): Promise<boolean> {
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

  /** Writes what was held back. Nothing may be taken afterwards. */
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

  async #emit(type: string, payload: Json): Promise<void> {
    this.#flush();
    this.#send(type, payload);
    await this.#options.context.room();
  }

  #send(type: string, payload: Json): void {
    this.#options.budget.spend(bytesOf(payload));
    this.#last = this.#options.context.emit(type, payload);
    this.#last.catch(() => {});
  }
}
