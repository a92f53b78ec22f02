import { agentEvent, type DriverEvent } from '../driver.ts';
import { cleanText } from '../fit.ts';
import type { Line, RateLimit, ResultLine, ToolResultContent } from './lines.ts';
import { noticeOf } from './notices.ts';
import { StreamedTokens } from './streamed-tokens.ts';

type LineOf<T extends Line['type']> = Extract<Line, { type: T }>;
type LineBlock<T> = Extract<LineOf<'assistant'>['message']['content'][number], { type: T }>;

/**
 * Turns the lines of one process into events, and collects what decides its outcome. Does not touch
 * the process, so recorded lines can be replayed through it.
 */
export class Events {
  readonly results: ResultLine[] = [];
  readonly streamed = new StreamedTokens();
  version: string | undefined;
  /** The agent's tools, except those of MCP servers that have not connected yet. */
  tools: readonly string[] | undefined;
  model: string | null = null;
  hasBegun = false;
  lastMessage: string | null = null;
  /** The agent's id for the last message of the conversation's last completed turn. */
  head: string | undefined;
  /** The last usage limit that caused a refusal. */
  limit: RateLimit | null = null;
  /** The text of the last response that was only an error. */
  error: { readonly kind: string; readonly text: string } | null = null;
  conversation: string | null = null;
  #lastUuid: string | undefined;
  readonly #calls = new Map<string, string>();
  readonly #asked = new Set<string>();

  *take(line: Line): Generator<DriverEvent> {
    switch (line.type) {
      case 'system':
        yield* this.#init(line);
        return;
      case 'news':
        yield* notices(noticeOf(line));
        return;
      case 'assistant':
        yield* this.#assistant(line);
        return;
      case 'user':
        yield* this.#user(line);
        return;
      case 'stream_event':
        yield* this.#piece(line);
        return;
      case 'rate_limit_event':
        yield* this.#rateLimit(line.rate_limit_info);
        return;
      case 'control_request':
        yield* this.#question(line);
        return;
      case 'result':
        this.results.push(line);
        this.head = this.#lastUuid;
        this.streamed.clear();
        return;
      case 'unknown':
        yield* notices(`Claude Code said: ${line.text}`);
        return;
    }
  }

  *#init(line: LineOf<'system'>): Generator<DriverEvent> {
    this.version = line.claude_code_version;
    this.tools = line.tools;
    this.model = line.model ?? null;
    // A new turn has begun, so errors of the previous one no longer apply.
    this.error = null;
    this.limit = null;
    // This line is repeated in every turn, and has a different id after `/clear`.
    if (this.conversation === line.session_id) return;
    this.conversation = line.session_id;
    this.hasBegun = true;
    const { model } = line;
    yield { kind: 'init', conversation: line.session_id, ...(model !== undefined && { model }) };
    for (const { name, status } of line.mcp_servers) {
      if (status === 'connected' || status === 'pending') continue;
      yield* notices(`The MCP server ${name} is not connected: ${status}.`);
    }
  }

  *#assistant(line: LineOf<'assistant'>): Generator<DriverEvent> {
    const { message, error, uuid } = line;
    const parent = line.parent_tool_use_id ?? null;
    if (typeof error !== 'string') {
      const { id } = message;
      if (id !== undefined) this.streamed.whole({ ...message, id });
      if (parent === null) this.#lastUuid = uuid ?? this.#lastUuid;
    }
    for (const block of message.content) {
      if (block.type === 'tool_use') yield* this.#toolUse(block, parent);
      else if (block.type === 'text' && typeof error === 'string') {
        this.error = { kind: error, text: block.text };
      }
      // A subagent's text goes to its parent agent.
      else if (parent !== null) continue;
      else if (block.type === 'text' && block.text !== '') yield this.#message(block.text);
      else if (block.type === 'thinking' && block.thinking !== '') yield thought(block.thinking);
    }
  }

  #message(said: string): DriverEvent {
    const text = cleanText(said);
    this.lastMessage = text;
    return { kind: 'message', text };
  }

  *#toolUse(
    call: Omit<LineBlock<'tool_use'>, 'type'>,
    parent: string | null,
  ): Generator<DriverEvent> {
    if (this.#calls.has(call.id)) return;
    this.#calls.set(call.id, call.name);
    yield agentEvent('agent.tool_use', {
      id: call.id,
      tool: cleanText(call.name),
      input: call.input,
      ...(parent !== null && { parent }),
    });
  }

  /** Emits a call before the question about it, in whatever order the lines arrive (Q16). */
  *#question({ request, request_id }: LineOf<'control_request'>): Generator<DriverEvent> {
    if (request.subtype !== 'can_use_tool') return;
    const { tool_use_id: id = request_id, tool_name: name, input } = request;
    this.#asked.add(id);
    yield* this.#toolUse({ id, name, input }, null);
  }

  *#user({ message }: LineOf<'user'>): Generator<DriverEvent> {
    if (typeof message.content === 'string') return;
    for (const block of message.content) {
      if (block.type !== 'tool_result') continue;
      const id = block.tool_use_id;
      const tool = this.#calls.get(id);
      const ok = block.is_error !== true;
      const text = cleanText(textOf(block.content));
      const named = tool === undefined ? {} : { tool: cleanText(tool) };
      yield agentEvent('agent.tool_result', { id, ...named, ok, text });
      // Only a trusted repository's hooks should answer here.
      if (ok && !this.#asked.has(id)) {
        yield* notices(`Claude Code used ${tool ?? 'a tool'} without asking.`);
      }
    }
  }

  *#piece({ event: piece, parent_tool_use_id }: LineOf<'stream_event'>): Generator<DriverEvent> {
    const parent = parent_tool_use_id ?? null;
    const { delta, message, usage } = piece;
    if (message?.id !== undefined) this.streamed.begin(parent, { ...message, id: message.id });
    else if (usage !== undefined) this.streamed.update(parent, usage);
    if (parent !== null || delta?.type !== 'text_delta') return;
    if (delta.text) yield { kind: 'delta', text: cleanText(delta.text) };
  }

  *#rateLimit(info: RateLimit): Generator<DriverEvent> {
    if (info.status === 'rejected') this.limit = info;
    const { status, resetsAt, rateLimitType } = info;
    yield agentEvent('agent.limit', {
      status,
      resetsAt: typeof resetsAt === 'number' ? new Date(resetsAt * 1000).toISOString() : null,
      kind: rateLimitType ?? null,
    });
  }
}

function* notices(text: string | null): Generator<DriverEvent> {
  if (text !== null) yield { kind: 'notice', text: cleanText(text) };
}

const thought = (thinking: string): DriverEvent =>
  agentEvent('agent.thinking', { text: cleanText(thinking) });

function textOf(content: ToolResultContent): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ type, text }) => text ?? `[${type}]`).join('\n');
}
