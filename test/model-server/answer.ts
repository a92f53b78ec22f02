import type { ServerResponse } from 'node:http';
import type { AnswerStep } from './script.ts';

/*
 * One answer of the Messages API, as a stream of events or as a whole.
 */

interface Content {
  readonly type: string;
  readonly [key: string]: unknown;
}

const USAGE = {
  input_tokens: 10,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 5,
};

let answers = 0;

function contentOf({ thinking, text, tools = [] }: AnswerStep, number: number): Content[] {
  return [
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: 'c2lnbmVk' }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...tools.map(({ id, name, input }, n) => ({
      type: 'tool_use',
      id: id ?? `toolu_${number}_${n}`,
      name,
      input,
    })),
  ];
}

function begin(model: string, usage: Record<string, number>, number: number) {
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [] as Content[],
    stop_reason: null as string | null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
}

const reasonOf = (content: readonly Content[]): string =>
  content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';

export function wholeAnswer(step: AnswerStep, model: string): object {
  const number = ++answers;
  const content = contentOf(step, number);
  const usage = { ...USAGE, ...step.usage };
  return { ...begin(model, usage, number), content, stop_reason: reasonOf(content), usage };
}

/** Writes the events; awaits `pause` after all content, before the end. */
export async function streamAnswer(
  response: ServerResponse,
  step: AnswerStep,
  model: string,
  pause: () => Promise<void>,
): Promise<void> {
  const number = ++answers;
  const content = contentOf(step, number);
  const usage = { ...USAGE, ...step.usage };
  const send = writer(response, step.bytes);
  await send('message_start', { message: begin(model, usage, number) });
  for (const [index, block] of content.entries()) {
    const { start, deltas } = inDeltas(block, step.piece);
    await send('content_block_start', { index, content_block: start });
    for (const delta of deltas) await send('content_block_delta', { index, delta });
    // The last block stays open: during the pause the client has the text but no complete block.
    if (index === content.length - 1) await pause();
    await send('content_block_stop', { index });
  }
  const delta = { stop_reason: reasonOf(content), stop_sequence: null };
  await send('message_delta', { delta, usage });
  await send('message_stop', {});
  response.end();
}

/** Some text and then an error event, like an overloaded server. */
export async function streamError(response: ServerResponse, type: string): Promise<void> {
  const send = writer(response);
  await beginText(response);
  await send('error', { error: { type, message: 'in the middle' } });
  response.end();
}

/** The beginning of an answer that breaks off. */
export async function beginText(response: ServerResponse, model = 'scripted'): Promise<void> {
  const send = writer(response);
  await send('message_start', { message: begin(model, USAGE, ++answers) });
  await send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  await send('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'half ' } });
}

function inDeltas(block: Content, piece = Number.POSITIVE_INFINITY) {
  const cut = (text: string, make: (text: string) => Content): Content[] => {
    const all: Content[] = [];
    const characters = [...text];
    const size = Math.min(piece, Math.max(1, characters.length));
    for (let at = 0; at < characters.length; at += size) {
      all.push(make(characters.slice(at, at + size).join('')));
    }
    return all;
  };
  switch (block.type) {
    case 'text':
      return {
        start: { type: 'text', text: '' },
        deltas: cut(String(block['text']), (text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...cut(String(block['thinking']), (thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: block['signature'] },
        ],
      };
    default:
      return {
        start: { ...block, input: {} },
        deltas: cut(JSON.stringify(block['input']), (partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        })),
      };
  }
}

function writer(response: ServerResponse, bytes?: number) {
  const write = (piece: Uint8Array): Promise<void> =>
    new Promise((resolve) => response.write(piece, () => resolve()));
  return async (type: string, event: object): Promise<void> => {
    if (!response.headersSent) {
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'request-id': 'req_scripted',
      });
    }
    const data = JSON.stringify({ type, ...event });
    const whole = Buffer.from(`event: ${type}\ndata: ${data}\n\n`);
    const size = bytes ?? whole.length;
    for (let at = 0; at < whole.length; at += size) await write(whole.subarray(at, at + size));
  };
}
