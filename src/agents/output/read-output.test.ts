import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { agentRig } from '../../../test/support/agent-rig.ts';
import { turnsDuring } from '../../../test/support/turns.ts';
import { PIECE } from '../../queue/give-way.ts';
import { readOutput } from './read-output.ts';

const OPTIONS = { lingerMs: 50, pieceBytes: 16 };

test('[A9] a pipe held open by somebody whom nothing stops does not hold up the end', async () => {
  const argv = ['/bin/sh', '-c', 'sleep 1000 & echo said'];
  const agent = await agentRig().spawnFor()(argv);
  const said: string[] = [];
  // As if stopping had no effect, as with processes of another user.
  for await (const { text } of readOutput({ ...agent, stop: async () => {} }, OPTIONS)) {
    said.push(text);
  }
  expect(said).toEqual(['said\n']);
  await agent.stop();
});

test.each([
  ['a little at a time', 'while :; do echo still here; sleep 0.02; done'],
  ['without a pause', 'yes'],
])(
  '[A9] [Q9] what nobody can stop does not hold up the end, even if it writes %s',
  async (_, survivor) => {
    const agent = await agentRig().spawnFor()(['/bin/sh', '-c', `(${survivor}) & echo said`]);
    let text = '';
    for await (const piece of readOutput(
      { ...agent, stop: async () => {} },
      { ...OPTIONS, pieceBytes: PIECE },
    )) {
      text += piece.text;
    }
    expect(text).toContain('said\n');
    await agent.stop();
  },
);

test('[E7] output that was there at the end is read to its end, however slowly', async () => {
  const argv = ['/bin/sh', '-c', 'i=0; while [ $i -lt 3000 ]; do echo 1234567; i=$((i+1)); done'];
  const agent = await agentRig().spawnFor()(argv);
  await agent.exited;
  await agent.stop();
  let length = 0;
  for await (const { text } of readOutput(agent, OPTIONS)) {
    expect(text.length).toBeLessThanOrEqual(16);
    length += text.length;
    if (length % 8000 === 0) await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect(length).toBe(24_000);
});

test('[E10] [H9] a pipe that is always full does not keep the node from its other work', async () => {
  const [bytes, pipes] = [2 * 1024 * 1024, 2];
  const read = async (): Promise<number> => {
    const stdout = new PassThrough({ highWaterMark: bytes });
    const stderr = new PassThrough();
    stdout.end(Buffer.alloc(bytes, 'a'));
    stderr.end();
    const exited = Promise.resolve({ code: 0, signal: null });
    const agent = { stdout, stderr, exited, stop: async () => {} };
    let length = 0;
    const options = { lingerMs: 50, pieceBytes: PIECE };
    for await (const { text } of readOutput(agent, options)) length += text.length;
    return length;
  };
  let lengths: number[] = [];
  const turns = await turnsDuring(async () => {
    lengths = await Promise.all(Array.from({ length: pipes }, read));
  });
  expect(lengths).toEqual([bytes, bytes]);
  expect(turns).toBeGreaterThanOrEqual((pipes * bytes) / PIECE - 1);
});
