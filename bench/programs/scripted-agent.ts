// Prints the output of Claude Code at work, without a model: text, thinking, tool calls. The message
// is a Script as JSON, which says what to print and how much.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

type Script =
  /** `steps` of work at once, and a heading at the end that a page can wait for. */
  | { readonly do: 'work'; readonly steps: number; readonly end: string }
  /** Single messages, each with its number. */
  | { readonly do: 'marks'; readonly count: number; readonly everyMs: number }
  /** Steps of work whose text comes in pieces, as from a model. */
  | { readonly do: 'stream'; readonly ms: number };

const PIECE_MS = 50;
const PIECE_LENGTH = 24;

const [first] = (await once(createInterface({ input: process.stdin }), 'line')) as [string];
const { message } = JSON.parse(first) as { message: { content: string } };
const script = JSON.parse(message.content) as Script;

/** The conversation id from Baton: two sessions cannot share one. */
const named = process.argv.findLast((_, at, all) =>
  ['--session-id', '--resume'].includes(all[at - 1] ?? ''),
);
const conversation = named ?? crypto.randomUUID();

const say = async (line: object): Promise<void> => {
  if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain');
};
const printBlock = (role: string, block: object): Promise<void> =>
  say({ type: role, parent_tool_use_id: null, message: { role, content: [block] } });
const text = (words: string): Promise<void> =>
  printBlock('assistant', { type: 'text', text: words });

let calls = 0;
async function call(name: string, input: object, result: string): Promise<void> {
  const id = `call-${process.pid}-${++calls}`;
  await printBlock('assistant', { type: 'tool_use', id, name, input });
  await printBlock('user', { type: 'tool_result', tool_use_id: id, content: result });
}

const lines = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');

const WORDS = (
  step: number,
): string => `The cause of step ${step} is in \`listen()\`: the **timer** is set before the answer is there, so that a slow server looks like a silent one.

1. Wait for the headers first.
2. Start the timer with the *first byte*, not with the request.
3. Stop it while the reader is busy.

\`\`\`ts
export async function wait<T>(promise: Promise<T>, silenceMs: number): Promise<T> {
  const silent = new Error(\`Nothing came for \${Math.round(silenceMs / 1000)} s.\`);
  const timer = setTimeout(() => abort.abort(silent), silenceMs);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
\`\`\`

See [the notes](https://example.com/notes) for what was tried before.`;

const TABLE = `| case | before | after |
|---|---:|---:|
| first byte | 120 ms | 14 ms |
| whole answer | 480 ms | 390 ms |

Both were measured on the same machine; the rest is unchanged.`;

/** Makes eighteen events, including those that Baton adds. */
async function work(step: number): Promise<void> {
  const path = `/srv/app/src/client/part-${step}.ts`;
  await printBlock('assistant', {
    type: 'thinking',
    thinking: `Step ${step}: the test fails only when the server is slow, so the timer is the first suspect. ${'I should look at who starts it. '.repeat(6)}`,
  });
  await text(WORDS(step));
  await call(
    'Bash',
    { command: `npm test -- part-${step}`, description: 'Run the tests of this part' },
    lines(40, (i) => `✓ part-${step} case ${i} (${i * 3} ms)`),
  );
  await call(
    'Edit',
    {
      file_path: path,
      old_string: lines(8, (i) => `const before${i} = ${i};`),
      new_string: lines(9, (i) => `const after${i} = ${i};`),
    },
    `The file ${path} has been updated.`,
  );
  for (const part of ['a', 'b', 'c'])
    await call(
      'Read',
      { file_path: `${path}.${part}` },
      lines(60, (i) => `${i} export const x${i} = ${i};`),
    );
  await text(TABLE);
}

/** Prints a text in pieces, then as a whole. */
async function spoken(words: string): Promise<void> {
  for (let at = 0; at < words.length; at += PIECE_LENGTH) {
    const delta = { type: 'text_delta', text: words.slice(at, at + PIECE_LENGTH) };
    const event = { type: 'content_block_delta', index: 0, delta };
    await say({ type: 'stream_event', parent_tool_use_id: null, event });
    await delay(PIECE_MS);
  }
  await text(words);
}

await say({
  type: 'system',
  subtype: 'init',
  session_id: conversation,
  model: 'stand-in',
  claude_code_version: '2.1.325',
  mcp_servers: [],
});
switch (script.do) {
  case 'work':
    for (let step = 1; step <= script.steps; step++) await work(step);
    await text(`## ${script.end}`);
    break;
  case 'marks':
    for (let i = 1; i <= script.count; i++) {
      await delay(script.everyMs);
      await text(
        `mark ${i} of what was **done** in this step, in a line or two as agents write them.`,
      );
    }
    break;
  case 'stream': {
    const until = Date.now() + script.ms;
    for (let step = 1; Date.now() < until; step++) {
      await spoken(WORDS(step));
      await call(
        'Bash',
        { command: `npm test -- part-${step}` },
        lines(40, (i) => `✓ case ${i}`),
      );
    }
    break;
  }
}
await say({ type: 'result', subtype: 'success', is_error: false, result: 'done' });
