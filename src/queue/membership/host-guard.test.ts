import { expect, test } from 'vitest';
import type { NodeRecord } from '../../contract/node.ts';
import { findOtherMachine } from './host-guard.ts';
import { identify } from './process-identity.ts';

const self = { ...identify(), host: 'box', bootId: 'ours' };
const LEASE_END = 30;

/** Runs the guard while another machine has these leases, one after another; null is no lease. */
async function guard(...leases: readonly (number | null)[]) {
  let now = 0;
  const node = (leaseUntil: number) => ({ id: 'other', host: 'box', bootId: 'theirs', leaseUntil });
  const waited: NodeRecord[] = [];
  const other = await findOtherMachine({
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
  return { other: other?.id ?? null, waited: waited.length };
}

test('[Q23] without other leases there is no other machine', async () => {
  expect(await guard(null)).toEqual({ other: null, waited: 0 });
});

test('[Q23] a lease that expires was left behind by a reboot', async () => {
  expect(await guard(LEASE_END)).toEqual({ other: null, waited: 1 });
});

test('[Q23] a lease that is renewed belongs to a live machine', async () => {
  expect(await guard(LEASE_END, LEASE_END, LEASE_END + 10)).toEqual({ other: 'other', waited: 1 });
});

test('[Q23] a lease that disappears early belongs to a machine that left and may return', async () => {
  expect(await guard(LEASE_END, LEASE_END, null)).toEqual({ other: 'other', waited: 1 });
});
