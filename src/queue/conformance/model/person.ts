import { expect } from 'vitest';
import { isTerminal, type RunState, TERMINAL_STATES } from '../../../contract/run.ts';
import type { Command } from '../../store.ts';
import { both, newId, pickFitting, refuse, type Step, step } from './step.ts';
import type { ModelLane, ModelRun, World } from './world.ts';

/* Commands on runs and lanes. */

/**
 * Mostly picks a run in one of the given states, sometimes any other run, or one that does not
 * exist.
 */
const onRun = (
  label: string,
  index: number,
  states: readonly RunState[],
  command: (id: string, world: World) => Command,
  expected: (copy: World, run: ModelRun, lane: ModelLane, command: Command) => void,
): Step =>
  step(`${label} run #${index}`, async (world, store) => {
    const chosen = pickFitting(world.runs, index, ({ state }) => states.includes(state));
    const id = chosen?.id ?? 'no such run';
    const asked = command(id, world);
    await both(
      world,
      (copy) => {
        const run = copy.run(id) ?? refuse('not_found');
        expected(copy, run, copy.lane(run.lane) as ModelLane, asked);
      },
      () => store.change(asked),
    );
  });

const mustBeQueued = (run: ModelRun, lane: ModelLane): void => {
  if (run.state !== 'queued' || lane.begun === run.id) refuse('run_not_queued');
};

export const answer = (index: number): Step =>
  onRun(
    'answer',
    index,
    ['waiting'],
    (run) => ({ do: 'answer', run }),
    (copy, run, lane) => {
      if (run.state !== 'waiting') refuse('run_not_waiting');
      if (lane.node === null) run.state = 'queued';
      else lane.answeredAt ??= copy.now;
    },
  );

export const cancel = (index: number, kind: 'stop' | 'interrupt'): Step =>
  onRun(
    `cancel (${kind})`,
    index,
    ['queued', 'running', 'waiting', 'retry_scheduled'],
    (run) => ({ do: 'cancel', run, kind }),
    (copy, run) => {
      if (isTerminal(run.state)) refuse('run_finished');
      copy.cancel(run, kind);
    },
  );

export const edit = (index: number): Step =>
  onRun(
    'edit',
    index,
    ['queued'],
    (run) => ({ do: 'edit', run, payload: '77' }),
    (_copy, run, lane) => {
      mustBeQueued(run, lane);
      run.payload = 77;
    },
  );

export const move = (index: number, target: number | null): Step =>
  onRun(
    `move before #${target}:`,
    index,
    ['queued'],
    (run, world) => {
      if (target === null) return { do: 'move', run, before: null };
      const near = (one: ModelRun): boolean =>
        one.state === 'queued' && one.lane === world.run(run)?.lane;
      return { do: 'move', run, before: pickFitting(world.runs, target, near)?.id ?? 'none' };
    },
    (copy, run, lane, command) => {
      mustBeQueued(run, lane);
      if (!copy.joined(run)) refuse('run_not_queued');
      const before = command.do === 'move' ? command.before : null;
      if (before !== null && !lane.queue.includes(before)) refuse('invalid_request');
      if (before === run.id) return;
      const others = lane.queue.filter((id) => id !== run.id);
      others.splice(before === null ? others.length : others.indexOf(before), 0, run.id);
      lane.queue = others;
    },
  );

export const remove = (index: number): Step =>
  onRun(
    'remove',
    index,
    ['queued'],
    (run) => ({ do: 'remove', run }),
    (copy, run, lane) => {
      mustBeQueued(run, lane);
      lane.queue = lane.queue.filter((id) => id !== run.id);
      copy.runs = copy.runs.filter(({ id }) => id !== run.id);
      // The lane existed only for this run.
      if (lane.id !== run.id || copy.runs.some((other) => other.lane === lane.id)) return;
      copy.lanes = copy.lanes.filter(({ id }) => id !== lane.id);
    },
  );

export const retry = (index: number): Step =>
  onRun(
    'retry',
    index,
    TERMINAL_STATES,
    (run, world) => ({ do: 'retry', run, newId: newId(world) }),
    (copy, run, lane, command) => {
      if (!isTerminal(run.state)) refuse('run_not_finished');
      const id = command.do === 'retry' ? command.newId : '';
      const fresh = { state: 'queued', attempts: 0, crashes: 0, runAt: null } as const;
      const rest = { key: null, error: null, finishedAt: null };
      copy.runs.push({ ...run, ...fresh, ...rest, id, retryOf: run.id });
      lane.queue.unshift(id);
    },
  );

export const onLane = (what: 'hold' | 'resume', lane: string): Step =>
  step(`${what} ${lane}`, (world, store) =>
    both(
      world,
      (copy) => {
        const existing = copy.lane(lane) ?? refuse('not_found');
        existing.held = what === 'hold';
      },
      () => store.change({ do: what, lane }),
    ),
  );

export const stopAll = (what: 'stop' | 'resume'): Step =>
  step(`${what} everything`, async (world, store) => {
    world.stopped = what === 'stop';
    await store.setStop(world.stopped ? { by: 'ann', reason: null } : null);
    expect((await store.getStop()) !== null).toBe(world.stopped);
  });

export const configure = (
  lane: string,
  settings: { holdOnFailure: boolean; kept: boolean; host: string | null },
): Step =>
  step(`configure ${lane} ${JSON.stringify(settings)}`, async (world, store) => {
    Object.assign(world.openLane(lane, ''), settings);
    await store.change({ do: 'configure', lane, settings });
  });
