import { expect, test } from 'vitest';
import { until } from '../../test/support/until.ts';
import { Gate } from '../../test/support/worker-rig.ts';
import { Coalescer } from './coalescer.ts';

test('triggers that come together run the job once, those during a run once more', async () => {
  const gate = new Gate();
  let done = 0;
  const pulse = new Coalescer(async () => {
    await gate.pass();
    done++;
  });
  for (let i = 0; i < 10; i++) pulse.trigger();
  await until(() => gate.reached === 1);
  for (let i = 0; i < 10; i++) pulse.trigger();
  gate.open();
  await until(() => done === 2);
  pulse.trigger();
  await until(() => done === 3);
  expect(gate.reached).toBe(3);
});

test('stopped, it waits for the run under way and begins no other', async () => {
  const gate = new Gate();
  const pulse = new Coalescer(() => gate.pass());
  pulse.trigger();
  await until(() => gate.reached === 1);
  pulse.trigger();
  const stopped = pulse.stop();
  gate.open();
  await stopped;
  pulse.trigger();
  await pulse.stop();
  expect(gate.reached).toBe(1);
});
