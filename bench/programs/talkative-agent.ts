// Prints stream-json as Claude Code does, without a model. The message is the number of bytes.
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A typical piece of a model's output, and the number of pieces in a long message. */
const PIECE = 'All work and no play makes Jack a dull boy. '.repeat(4);
const PIECES = 250;
const TOOL_RESULT = 'x'.repeat(60_000);

const [first] = (await once(createInterface({ input: process.stdin }), 'line')) as [string];
const { message } = JSON.parse(first) as { message: { content: string } };
const wanted = Number(message.content);
let written = 0;

const say = async (line: object): Promise<void> => {
  const text = `${JSON.stringify(line)}\n`;
  written += text.length;
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
};
const printBlock = (role: string, block: object): Promise<void> =>
  say({ type: role, parent_tool_use_id: null, message: { role, content: [block] } });

await say({
  type: 'system',
  subtype: 'init',
  session_id: '00000000-0000-4000-8000-000000000000',
  model: 'stand-in',
  claude_code_version: '2.1.325',
  mcp_servers: [],
});
for (let n = 0; written < wanted; n++) {
  for (let i = 0; i < PIECES; i++) {
    const delta = { type: 'text_delta', text: PIECE };
    const event = { type: 'content_block_delta', index: 0, delta };
    await say({ type: 'stream_event', parent_tool_use_id: null, event });
  }
  await printBlock('assistant', { type: 'text', text: PIECE.repeat(PIECES) });
  const id = `call-${n}`;
  await printBlock('assistant', { type: 'tool_use', id, name: 'Read', input: { file_path: '/x' } });
  await printBlock('user', { type: 'tool_result', tool_use_id: id, content: TOOL_RESULT });
}
await say({ type: 'result', subtype: 'success', is_error: false, result: String(written) });
