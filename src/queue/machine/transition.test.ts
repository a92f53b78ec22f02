import { describe, expect, it } from 'vitest';
import { RunState, TERMINAL_STATES } from '../../contract/run.ts';
import { canMove, diagram, TRANSITIONS } from './transition.ts';

/** The transitions that the rule allows, written out independently of the table. */
const ALLOWED: Record<RunState, readonly RunState[]> = {
  queued: ['dequeued', 'cancelled'],
  dequeued: ['running', 'queued', 'cancelled', 'dead'],
  running: ['waiting', 'succeeded', 'failed', 'cancelled', 'retry_scheduled', 'queued', 'dead'],
  waiting: ['running', 'queued', 'succeeded', 'failed', 'cancelled', 'retry_scheduled', 'dead'],
  retry_scheduled: ['dequeued', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
  dead: [],
};

describe('the states of a run', () => {
  for (const from of RunState.options) {
    it(`[Q8] ${from} leads to ${ALLOWED[from].join(', ') || 'nothing'}`, () => {
      const allowed = RunState.options.filter((to) => canMove(from, to));
      expect(new Set(allowed)).toEqual(new Set(ALLOWED[from]));
    });
  }

  it('[Q8] every state is reachable, and every state can reach an end', () => {
    const reach = (from: RunState, seen = new Set<RunState>()): Set<RunState> => {
      if (seen.has(from)) return seen;
      seen.add(from);
      for (const to of Object.keys(TRANSITIONS[from]) as RunState[]) reach(to, seen);
      return seen;
    };
    expect(reach('queued')).toEqual(new Set(RunState.options));
    for (const from of RunState.options) {
      expect(
        TERMINAL_STATES.some((end) => reach(from).has(end)),
        from,
      ).toBe(true);
    }
  });

  it('[Q8] the diagram shows every arrow', () => {
    const lines = diagram().split('\n');
    for (const from of RunState.options) {
      for (const to of ALLOWED[from]) {
        expect(lines.some((line) => line.startsWith(`  ${from} --> ${to}:`))).toBe(true);
      }
    }
    expect(lines[1]).toBe('  [*] --> queued: enqueued');
  });
});
