import { claimTimes } from '../backlog.ts';
import type { Case } from '../benches.ts';

const SAMPLES = 500;

/** Does a claim cost more with more queued runs, a longer lane or more users (Q5)? */
export const claimScaling: Case = async ({ resources, report }) => {
  const ms = await claimTimes(
    resources,
    {
      '1 k queued': { lanes: 100, users: 100 },
      '100 k queued, 100 users': { lanes: 10_000, users: 100 },
      '1 M queued': { lanes: 100_000, users: 100 },
      '500 k more in one lane': { lanes: 10_000, users: 100, longLane: 500_000 },
      '100 k queued, 10 k users': { lanes: 10_000, users: 10_000 },
    },
    SAMPLES,
  );
  for (const [name, value] of Object.entries(ms)) {
    report({ metric: `claim of 8, ${name}`, value, unit: 'ms' });
  }
  const plain = ms['100 k queued, 100 users'];
  const ratios = {
    '1 M / 100 k queued': ms['1 M queued'] / plain,
    '500 k lane / plain': ms['500 k more in one lane'] / plain,
    '10 k / 100 users': ms['100 k queued, 10 k users'] / plain,
  };
  for (const [metric, value] of Object.entries(ratios)) report({ metric, value, unit: 'times' });
};
