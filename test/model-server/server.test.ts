import { expect, onTestFinished, test } from 'vitest';
import { type StepInput, scripted } from './script.ts';
import { startModelServer } from './server.ts';

type Message = { role: string; content: unknown };

async function start() {
  const server = await startModelServer();
  onTestFinished(() => server.stop());
  const ask = (messages: Message[], stream = false) =>
    fetch(`${server.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', stream, tools: [{ name: 'Bash' }], messages }),
    });
  return { server, ask };
}
const prompt = (steps: StepInput[]): Message => ({ role: 'user', content: scripted(steps) });
const call = { id: 't1', name: 'Bash', input: {} };
const result = (content: string) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 't1', content }],
});

test('the number of answers since the prompt determines the step', async () => {
  const { ask } = await start();
  const first = prompt([{ text: 'one' }, { text: 'two' }]);
  const contentOf = async (messages: Message[]) =>
    ((await (await ask(messages)).json()) as { content: unknown[] }).content;
  expect(await contentOf([first])).toEqual([{ type: 'text', text: 'one' }]);
  const answer = { role: 'assistant', content: 'one' };
  expect(await contentOf([first, answer, { role: 'user', content: 'go on' }])).toEqual([
    { type: 'text', text: 'two' },
  ]);
});

test('a stream has the events of the Messages API', async () => {
  const { ask } = await start();
  const response = await ask([prompt([{ text: 'abc', piece: 1, tools: [call] }])], true);
  const types = (await response.text()).match(/(?<=^event: ).*$/gm) ?? [];
  expect(types.filter((type, n) => type !== types[n - 1])).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
});

test('unexpected tool results are a failure', async () => {
  const { server, ask } = await start();
  const steps = [{ tools: [call] }, { text: 'ok', results: [{ includes: 'good' }] }];
  const asked = [prompt(steps), { role: 'assistant', content: [{ type: 'tool_use', ...call }] }];
  expect((await ask([...asked, result('all good')])).status).toBe(200);
  expect(server.failures).toEqual([]);
  expect((await ask([...asked, result('bad')])).status).toBe(400);
  expect(server.failures).toEqual([expect.stringContaining('bad')]);
});

test('failures occur as often as scripted', async () => {
  const { ask } = await start();
  const messages = [prompt([{ status: 529, times: 2 }, { text: 'fine' }])];
  const statuses = [];
  for (let n = 0; n < 3; n++) statuses.push((await ask(messages)).status);
  expect(statuses).toEqual([529, 529, 200]);
});

test('a step waits until it is released', async () => {
  const { server, ask } = await start();
  let answered = false;
  const response = ask([prompt([{ text: 'late', hold: 'here' }])]).then((it) => {
    answered = true;
    return it;
  });
  await server.arrived('here');
  expect(answered).toBe(false);
  server.release('here');
  expect((await response).status).toBe(200);
});
