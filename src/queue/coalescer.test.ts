import { expect, test } from 'vitest';
import { until } from '../../test/support/until.ts';
import { Gate } from '../../test/support/worker-rig.ts';
import { Coalescer } from './coalescer.ts';

test('triggers that arrive together run the job once, those during a run once more', async () => {
  const gate = new Gate();
  let done = 0;
  const coalescer = new Coalescer(async () => {
    await gate.pass();
    done++;
  });
  for (let i = 0; i < 10; i++) coalescer.trigger();
  await until(() => gate.reached === 1);
  for (let i = 0; i < 10; i++) coalescer.trigger();
  gate.open();
  await until(() => done === 2);
  coalescer.trigger();
  await until(() => done === 3);
  expect(gate.reached).toBe(3);
});

test('stop() waits for the current run and starts no other', async () => {
  const gate = new Gate();
  const coalescer = new Coalescer(() => gate.pass());
  coalescer.trigger();
  await until(() => gate.reached === 1);
  coalescer.trigger();
  const stopped = coalescer.stop();
  gate.open();
  await stopped;
  coalescer.trigger();
  await coalescer.stop();
  expect(gate.reached).toBe(1);
});
