import { expect, it } from 'vitest';
import type { Approval } from '../../src/contract/approval.ts';
import { waitingFor } from './waiting.ts';

const asked = (level: Approval['level']): Approval => ({ level }) as Approval;
const page = (levels: Approval['level'][], nextCursor: string | null = null) => ({
  items: levels.map(asked),
  nextCursor,
});

it('[A7] [X3] what one may only look at does not wait for them', () => {
  const pending = page(['view', 'own', 'operate', 'view']);
  expect(waitingFor(['read', 'run'], pending)).toEqual({ count: 2, isMore: false });
  expect(waitingFor(['read'], pending)).toEqual({ count: 0, isMore: false });
});

it('[C2] more than are loaded are said to be more', () => {
  expect(waitingFor(['run'], page(['own'], 'next'))).toEqual({ count: 1, isMore: true });
  expect(waitingFor(['run'], page(['view'], 'next'))).toEqual({ count: 0, isMore: false });
});
