import { advanceCall } from './flights.ts';
import { changeLane, changeRun, enqueue, switchAll } from './person.ts';
import type { Step } from './step.ts';
import { SimWorker } from './worker.ts';
import { RENEW_MS, type World } from './world.ts';

export const joining = (worker: number): Step => ({
  do: 'call',
  worker,
  call: 'member',
  upTo: 'answered',
  fault: null,
});

/** Takes one step. Returns a word about it for the trace. */
export async function take(world: World, step: Step): Promise<string> {
  switch (step.do) {
    case 'enqueue':
      return enqueue(world, step);
    case 'cancel':
    case 'edit':
    case 'move':
    case 'remove':
    case 'retry':
    case 'answer':
      return changeRun(world, step);
    case 'hold':
    case 'resume':
    case 'note':
    case 'configure':
      return changeLane(world, step);
    case 'stop_all':
    case 'resume_all':
      return switchAll(world, step.do === 'stop_all', step.fault);
    case 'late': {
      const at = step.pick % Math.max(1, world.late.length);
      const [request] = world.late.splice(at, 1);
      await request?.();
      return request === undefined ? 'nothing' : 'arrived';
    }
    case 'wait':
      return wait(world, step.ms, step.renew);
    case 'jump':
      world.jump(step.ms);
      return '';
    default:
      return onWorker(world, step);
  }
}

async function onWorker(world: World, step: Step & { worker: number }): Promise<string> {
  const index = 'fitting' in step ? fitting(world, step) : step.worker;
  const worker = world.workers[index] as SimWorker;
  if (step.do === 'start') {
    if (worker.alive) return 'alive';
    const fresh = new SimWorker(world, worker.plan);
    world.workers[index] = fresh;
    return take(world, joining(index));
  }
  if (!worker.alive) return 'dead';
  if (step.do === 'crash') worker.crash();
  if (worker.paused) return 'paused';
  if (step.do === 'call') return advanceCall(worker, step);
  if (step.do === 'stop') worker.stop();
  else if (step.do === 'pause') worker.pausedUntil = world.now + step.ms;
  else if (step.do === 'work') {
    const word = worker.work(step.pick, step.what, step.outcome);
    await null;
    await null;
    return word;
  }
  return '';
}

/** Picks a worker that can take the step; a random one would mostly have nothing to do. */
function fitting({ workers }: World, step: Step & { worker: number }): number {
  const fits = (worker: SimWorker): boolean => {
    if (step.do === 'start') return !worker.alive;
    if (!worker.alive || worker.paused) return false;
    if (step.do === 'work') return worker.executions.some(({ state }) => state !== 'returned');
    if (step.do !== 'call' || worker.flights.has(step.call)) return true;
    if (step.call === 'write') return worker.member?.writer.idle === false;
    if (step.call === 'takeOver') return worker.toTakeOver !== null;
    if (step.call === 'member') return worker.member === null || worker.stopping;
    if (step.call !== 'claim') return true;
    return !worker.stopping && worker.attempts.executing < worker.plan.capacity;
  };
  const able = [...workers.keys()].filter((index) => fits(workers[index] as SimWorker));
  return able.length === 0 ? step.worker : (able[step.worker % able.length] as number);
}

/** Time passes, and workers renew their leases if they can, as their threads would. */
async function wait(world: World, ms: number, renew: boolean): Promise<string> {
  const until = world.now + ms;
  while (world.now < until) {
    world.now = Math.min(until, world.now + 5000);
    if (renew) await renewAll(world);
  }
  return '';
}

export async function renewAll(world: World): Promise<void> {
  for (const [index, worker] of world.workers.entries()) {
    const { member } = worker;
    if (member === null || !worker.alive || worker.paused) continue;
    if (world.now - member.sentAt < RENEW_MS || worker.flights.has('renew')) continue;
    await take(world, { do: 'call', worker: index, call: 'renew', upTo: 'answered', fault: null });
  }
}
