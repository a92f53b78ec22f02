import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../test/processes.ts';
import type { ShareLevel } from '../contract/access.ts';
import { sqliteStore } from '../storage/sqlite/store.ts';
import { rememberedShares } from './remembered-shares.ts';

async function rig() {
  const store = await sqliteStore({ path: join(temporaryDirectory(), 'baton.db') });
  onTestFinished(() => store.close());
  let asked = 0;
  let now = 0;
  let level: ShareLevel | null = 'view';
  const shareOf = rememberedShares(
    {
      onHint: store.onHint,
      getShare: async () => {
        asked++;
        return level;
      },
    },
    () => now,
  );
  return {
    store,
    shareOf,
    asked: () => asked,
    pass: (ms: number) => {
      now += ms;
    },
    set: (next: ShareLevel | null) => {
      level = next;
    },
  };
}

test('[X3] a share is asked for once a second, also by many at once', async () => {
  const { shareOf, asked, pass, set } = await rig();
  const all = await Promise.all([shareOf('s', 'u'), shareOf('s', 'u'), shareOf('s', 'u')]);
  expect(all).toEqual(['view', 'view', 'view']);
  expect(asked()).toBe(1);
  await shareOf('s', 'other');
  expect(asked()).toBe(2);
  set(null);
  pass(1000);
  expect(await shareOf('s', 'u')).toBeNull();
});

test('[X3] what was remembered ends with the next change of what somebody may do', async () => {
  const { store, shareOf, set } = await rig();
  expect(await shareOf('s', 'u')).toBe('view');
  set(null);
  await store.createUser({ id: 'b0000000-0000-4000-8000-000000000000', name: 'u', role: 'viewer' });
  await store.updateUser('b0000000-0000-4000-8000-000000000000', { role: 'operator' });
  expect(await shareOf('s', 'u')).toBeNull();
});
