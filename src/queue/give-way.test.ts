import { expect, test } from 'vitest';
import { turnsDuring } from '../../test/support/turns.ts';
import { giveWay } from './give-way.ts';

test('[H9] whatever one user has waiting, another waits for one step of it', async () => {
  const done: string[] = [];
  const step = (key: string) => giveWay(key).then(() => done.push(key));
  const busy = Array.from({ length: 50 }, () => step('taro'));
  const [one, two] = [step('hanako'), step('agents')];
  await Promise.all([one, two]);
  expect(done).toEqual(['taro', 'hanako', 'agents']);
  await step('hanako');
  expect(done.slice(3)).toEqual(['taro', 'hanako']);
  await Promise.all(busy);
});

test('[H9] everyone who gives way gets a turn of the event loop', async () => {
  const turns = await turnsDuring(() =>
    Promise.all(Array.from({ length: 20 }, () => giveWay('x'))),
  );
  expect(turns).toBeGreaterThanOrEqual(19);
});
