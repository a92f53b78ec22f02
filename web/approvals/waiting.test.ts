import { expect, it } from 'vitest';
import type { Approval } from '../../src/contract/approval.ts';
import { waitingFor } from './waiting.ts';

const approval = (level: Approval['level']): Approval => ({ level }) as Approval;
const page = (levels: Approval['level'][], nextCursor: string | null = null) => ({
  items: levels.map(approval),
  nextCursor,
});

it('[A7] [X3] questions in view-only sessions do not count', () => {
  const pending = page(['view', 'own', 'operate', 'view']);
  expect(waitingFor(['read', 'run'], pending)).toEqual({ count: 2, isMore: false });
  expect(waitingFor(['read'], pending)).toEqual({ count: 0, isMore: false });
});

it('[C2] if more exist than are loaded, it says so', () => {
  expect(waitingFor(['run'], page(['own'], 'next'))).toEqual({ count: 1, isMore: true });
  expect(waitingFor(['run'], page(['view'], 'next'))).toEqual({ count: 0, isMore: false });
});
