import { eventOf } from '../../src/contract/events/event-of.ts';
import type { Admission, Command } from '../../src/queue/store.ts';
import { carryOut } from './sim-store.ts';
import { type Fault, LANES, OWNERS, type Step } from './step.ts';
import type { World } from './world.ts';

/* Commands of users and programs, recorded if they were committed. */

export async function enqueue(world: World, step: Step & { do: 'enqueue' }): Promise<string> {
  const { record } = world;
  const admissions = Array.from({ length: step.count }, (_, i): Admission => {
    // Ids from two programs with different clocks do not sort by admission.
    const id = `${String((step.id + i * 7) % 1000).padStart(3, '0')}-${world.number()}`;
    return {
      id,
      type: step.type,
      payload: String(world.number()),
      lane: step.lane === null ? null : (LANES[step.lane] as string),
      owner: OWNERS[step.owner] as string,
      runAt: null,
      delayMs: step.delayMs,
      maxAttempts: step.maxAttempts,
      idempotencyKey: step.key === null ? null : `k${step.key}`,
      bodyHash: step.key === null ? null : 'same',
      onBusy: step.onBusy,
    };
  });
  const outcome = await carryOut(world.sim, step.fault, (store) => store.enqueue(admissions));
  world.checker.expectNoSurprise(outcome.error);
  if (!outcome.committed) return 'refused';
  const later = step.delayMs !== null && step.delayMs > 0;
  for (const { id, lane, idempotencyKey, payload, onBusy } of admissions) {
    const key = idempotencyKey === null ? undefined : `${lane ?? ''}/${idempotencyKey}`;
    if (key !== undefined && record.knows(key)) continue;
    const head = onBusy === 'interrupt' && !later;
    record.admit(id, lane ?? id, JSON.parse(payload), {
      head,
      ...(key === undefined ? {} : { key }),
    });
  }
  return 'committed';
}

type OnRun = Extract<Step, { pick: number; kind: unknown }>;

export async function changeRun(world: World, step: OnRun): Promise<string> {
  const { record } = world;
  const fitting = world.checker.runsFor(step.do);
  const run = fitting[step.pick % fitting.length];
  if (run === undefined) return 'nothing';
  const command = commandOf(world, step, run);
  if (!(await change(world, command, step.fault))) return 'refused';
  if (command.do === 'move') record.moves.push({ run, before: command.before });
  if (command.do === 'remove') record.remove(run);
  if (command.do === 'edit') record.runs.get(run)!.payload = JSON.parse(command.payload);
  if (command.do === 'retry') {
    const { lane, payload } = record.runs.get(run)!;
    record.admit(command.newId, lane, payload, { head: true });
  }
  return `${run} committed`;
}

function commandOf(world: World, step: OnRun, run: string): Command {
  switch (step.do) {
    case 'cancel':
      return { do: 'cancel', run, kind: step.kind };
    case 'edit':
      return { do: 'edit', run, payload: String(world.number()) };
    case 'move': {
      const others = world.checker.queuedWith(run);
      const before = step.other === null ? null : (others[step.other % others.length] ?? null);
      return { do: 'move', run, before };
    }
    case 'retry':
      return { do: 'retry', run, newId: `${step.pick}-${world.number()}` };
    case 'remove':
    case 'answer':
      return { do: step.do, run };
  }
}

type OnLane = Extract<Step, { do: 'hold' | 'resume' | 'note' | 'configure' }>;

export async function changeLane(world: World, step: OnLane): Promise<string> {
  const lane = LANES[step.lane] as string;
  const command: Command =
    step.do === 'configure'
      ? { do: 'configure', lane, settings: step.settings }
      : step.do === 'note'
        ? { do: 'note', lane, event: eventOf('session.cost', { costUsd: 0 }) }
        : { do: step.do, lane };
  if (!(await change(world, command, step.fault))) return 'refused';
  world.record.lanes.add(lane);
  return 'committed';
}

async function change(world: World, command: Command, fault: Fault): Promise<boolean> {
  const outcome = await carryOut(world.sim, fault, (store) => store.change(command));
  world.checker.expectNoSurprise(outcome.error);
  return outcome.committed;
}

export async function switchAll(world: World, stop: boolean, fault: Fault): Promise<string> {
  if (world.stopped === stop) return 'nothing';
  const outcome = await carryOut(world.sim, fault, (store) =>
    store.setStop(stop ? { by: 'admin', reason: null } : null),
  );
  world.checker.expectNoSurprise(outcome.error);
  if (!outcome.committed) return 'refused';
  world.stopped = stop;
  return 'committed';
}

/** Answers every open question and resumes every held lane. */
export async function answerAndResumeAll(world: World): Promise<void> {
  for (const run of world.checker.runsFor('answer')) {
    await change(world, { do: 'answer', run }, null);
  }
  for (const lane of world.checker.heldLanes()) await change(world, { do: 'resume', lane }, null);
}
