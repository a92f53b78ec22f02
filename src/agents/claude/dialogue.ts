import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import { DEPTH_MAX } from '../../contract/functions/cut-depth.ts';
import type { Json } from '../../contract/values/json.ts';
import type { ToolAnswer, Turn } from '../driver.ts';
import type { ControlRequest, Line } from './lines.ts';
import { asText } from './prompt.ts';

type Permission = Extract<ControlRequest['request'], { subtype: 'can_use_tool' }>;

/** Nobody could see all of it. */
const TOO_DEEP: ToolAnswer = {
  behavior: 'deny',
  message: `The input is nested too deeply; at most ${DEPTH_MAX} levels are allowed.`,
};
const NOBODY: ToolAnswer = { behavior: 'deny', message: 'Nobody is available to approve this.' };

/**
 * Writes to Claude Code's input: messages, answers to its questions, interrupts. Never waits for
 * the consumer of the events.
 */
export class Dialogue {
  readonly #stdin: Writable;
  readonly #permit: Turn['permit'];
  readonly #questions = new Map<string, AbortController>();
  /** Messages not yet confirmed as read, each with the number of results since it was sent. */
  readonly #waiting = new Map<string, number>();
  #closed = false;
  #interrupted = false;

  constructor(stdin: Writable, permit: Turn['permit']) {
    this.#stdin = stdin;
    this.#permit = permit;
  }

  /** Sends the turn's message. */
  prompt(content: Json): void {
    this.#say(content, randomUUID());
  }

  /** Sends another message while the agent is working on the first. */
  steer(message: string): void {
    const uuid = randomUUID();
    this.#waiting.set(uuid, 0);
    this.#say(asText(message), uuid);
  }

  interrupt(): void {
    this.#interrupted = true;
    const request = { subtype: 'interrupt' };
    this.#write({ type: 'control_request', request_id: randomUUID(), request });
  }

  /**
   * Makes Claude Code end its turn and exit. An open question is not withdrawn: the answer may come
   * later, for the attempt that continues the conversation (A7).
   */
  close(): void {
    this.#closed = true;
    if (!this.#stdin.destroyed) this.#stdin.end();
    this.#questions.clear();
  }

  hear(line: Line): void {
    switch (line.type) {
      case 'control_request':
        if (line.request.subtype === 'can_use_tool') void this.#ask(line.request_id, line.request);
        else this.#refuse(line.request_id);
        return;
      case 'control_cancel_request':
        // After an interrupt, Claude Code withdraws every open question on its own; this is not the
        // agent's decision.
        if (!this.#interrupted) this.#questions.get(line.request_id)?.abort();
        this.#questions.delete(line.request_id);
        return;
      case 'user':
        if (line.isReplay === true && line.uuid !== undefined) this.#waiting.delete(line.uuid);
        return;
      case 'command_lifecycle':
        if (line.state !== 'queued') this.#waiting.delete(line.command_uuid);
        return;
      case 'result':
        // A message that waited through a whole turn was part of that turn, even if unconfirmed.
        for (const [uuid, results] of this.#waiting) {
          if (results > 0) this.#waiting.delete(uuid);
          else this.#waiting.set(uuid, results + 1);
        }
        return;
    }
  }

  /** Whether one of our messages is still unanswered, which means that another result will come. */
  get owesAnswer(): boolean {
    return this.#waiting.size > 0;
  }

  async #ask(requestId: string, request: Permission): Promise<void> {
    const { tool_use_id: id = requestId, tool_name: tool, input } = request;
    if (request.isCut === true) return this.#answer(requestId, TOO_DEEP, input);
    const withdrawn = new AbortController();
    this.#questions.set(requestId, withdrawn);
    let answer: ToolAnswer;
    try {
      answer = (await this.#permit?.({ id, tool, input }, withdrawn.signal)) ?? NOBODY;
    } catch (error) {
      answer = { behavior: 'deny', message: `The question could not be asked: ${String(error)}` };
    }
    // The question was withdrawn or the agent is being stopped, so nobody will read the answer.
    if (!this.#questions.delete(requestId)) return;
    this.#answer(requestId, answer, input);
  }

  #answer(requestId: string, answer: ToolAnswer, input: Json): void {
    const response =
      answer.behavior === 'allow'
        ? { behavior: 'allow', updatedInput: answer.input ?? input }
        : { behavior: 'deny', message: answer.message };
    this.#respond({ subtype: 'success', request_id: requestId, response });
  }

  #refuse(requestId: string): void {
    this.#respond({ subtype: 'error', request_id: requestId, error: 'not supported' });
  }

  #respond(response: Json): void {
    this.#write({ type: 'control_response', response });
  }

  #say(content: Json, uuid: string): void {
    const message = { role: 'user', content };
    this.#write({ type: 'user', message, parent_tool_use_id: null, uuid });
  }

  #write(line: Json): void {
    if (!this.#closed) this.#stdin.write(`${JSON.stringify(line)}\n`);
  }
}
