import { expect, test } from 'vitest';
import type { NodeRecord } from '../../contract/node.ts';
import { findOtherMachine } from './host-guard.ts';
import { identify } from './process-identity.ts';

const self = { ...identify(), host: 'box', bootId: 'ours' };
const LEASE_END = 30;

/** What the guard answers if it sees these leases of another machine one after another; null is none. */
async function guard(...leases: readonly (number | null)[]) {
  let now = 0;
  const node = (leaseUntil: number) => ({ id: 'other', host: 'box', bootId: 'theirs', leaseUntil });
  const waited: NodeRecord[] = [];
  const found = await findOtherMachine({
    store: {
      time: async () => now,
      listNodes: async () => {
        const lease = leases[Math.min(now++, leases.length - 1)] ?? null;
        return lease === null ? [] : [node(lease) as NodeRecord];
      },
    },
    self,
    everyMs: 0,
    stopping: () => false,
    onWaiting: (each) => waited.push(each),
  });
  return { found: found?.id ?? null, waited: waited.length };
}

test('[Q23] nobody else has the id', async () => {
  expect(await guard(null)).toEqual({ found: null, waited: 0 });
});

test('[Q23] a lease that ends was left behind by a reboot', async () => {
  expect(await guard(LEASE_END)).toEqual({ found: null, waited: 1 });
});

test('[Q23] a lease that is renewed is of a machine that is alive', async () => {
  expect(await guard(LEASE_END, LEASE_END, LEASE_END + 10)).toEqual({ found: 'other', waited: 1 });
});

test('[Q23] a lease that is gone before its end is of a machine that was stopped, and may come back', async () => {
  expect(await guard(LEASE_END, LEASE_END, null)).toEqual({ found: 'other', waited: 1 });
});
