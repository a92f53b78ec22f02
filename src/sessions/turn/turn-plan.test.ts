import { expect, test } from 'vitest';
import type { ApprovalRecord } from '../approvals/approval-store.ts';
import { planTurn, type RunSoFar } from './turn-plan.ts';

const so: RunSoFar = {
  message: 'fix it',
  conversation: 'c',
  forkPoint: null,
  begun: true,
  acted: true,
  hasPast: true,
  answers: [],
};
const answer = (state: 'allowed' | 'denied', message: string | null = null) =>
  ({ tool: 'Bash', state, message }) as ApprovalRecord;

test("[A3] a first attempt sends the message in the session's conversation", () => {
  expect(planTurn({ ...so, begun: false })).toEqual({ conversation: 'c', message: 'fix it' });
  expect(planTurn({ ...so, begun: false, conversation: null }).conversation).toBeNull();
});

test('[A3] after an interruption it continues the conversation and repeats the message', () => {
  const { conversation, message } = planTurn(so);
  expect(conversation).toBe('c');
  expect(message).toMatch(/interrupted.*The message was:\nfix it$/s);
});

test('[A3] if no run ended and no call was allowed, it starts a new conversation', () => {
  const fresh = planTurn({ ...so, hasPast: false, acted: false });
  expect(fresh).toEqual({ conversation: null, message: 'fix it' });
  expect(planTurn({ ...so, hasPast: false }).conversation).toBe('c');
  expect(planTurn({ ...so, acted: false }).conversation).toBe('c');
});

test('[S10] [A3] a fork copies its source until it has a conversation to resume', () => {
  const forkPoint = { conversation: 'original', head: 'h' };
  const forking = { conversation: null, fork: forkPoint, message: 'fix it' };
  const fork = { ...so, forkPoint, hasPast: false };
  expect(planTurn({ ...fork, conversation: null, begun: false })).toEqual(forking);
  expect(planTurn({ ...fork, acted: false })).toEqual(forking);
  for (const plan of [planTurn(fork), planTurn({ ...fork, begun: false, hasPast: true })]) {
    expect(plan.conversation).toBe('c');
    expect(plan.fork).toBeUndefined();
  }
});

test('[A7] the agent learns of answers it missed, and is asked to repeat the call', () => {
  const { message } = planTurn({
    ...so,
    answers: [answer('allowed'), answer('denied', 'not now')],
  });
  expect(message).toContain('allowed your last call to Bash. Make the same call again');
  expect(message).toContain('refused your last call to Bash. They said: not now');
});
