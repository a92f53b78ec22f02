import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { agentRig } from '../../../../test/support/agent-rig.ts';
import { root, temporaryDirectory } from '../../../../test/support/processes.ts';
import { outcomeOf } from '../../../queue/handler-result.ts';

const run = promisify(execFile);
const OVERLOADED = {
  kind: 'end',
  end: { outcome: { kind: 'failed', error: { class: 'overloaded' } } },
};

test('[Q15] however few descriptors are left, an agent starts or its attempt is `overloaded`', async () => {
  const { installation, marked } = agentRig();
  const repository = temporaryDirectory();
  execFileSync('git', ['init', '-q', repository]);
  const entry = join(root, 'test/fixtures/no-descriptors.ts');
  const program = [process.execPath, entry, installation, repository, temporaryDirectory()];
  const limited = ['-c', 'ulimit -n 100; exec "$@"', 'sh', ...program];
  const results = JSON.parse((await run('/bin/sh', limited)).stdout);
  const [enough, none] = results;
  expect(enough).toMatchObject({ snapshot: { kind: 'git' }, lifeline: true });
  expect(none).toMatchObject({ lifeline: false, last: OVERLOADED });
  const classes = results.map(({ last }: { last: { end: { outcome: object } } }) => last);
  for (const last of classes) {
    if (last.end.outcome.kind !== 'succeeded') expect(last).toMatchObject(OVERLOADED);
  }
  expect(classes.at(-1).end.outcome.kind).toBe('succeeded');
  expect(marked()).toEqual([]);
});

test.each(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])(
  '[Q15] %s thrown by a handler is `overloaded`, too',
  (code) => {
    const error = Object.assign(new Error('open'), { code });
    expect(outcomeOf({ error })).toMatchObject({ error: { class: 'overloaded' } });
  },
);
