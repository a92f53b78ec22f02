import { isBatonError } from '../../src/contract/errors.ts';
import type { Store } from '../../src/queue/store.ts';
import { nextStamp } from '../../src/queue/worker/attempt.ts';
import { carryOut, type Outcome } from './sim-store.ts';
import { SimWriter } from './sim-writer.ts';
import type { Call, Fault, Step } from './step.ts';
import type { Member, SimWorker } from './worker.ts';
import { LEASE_MS, MARGIN_MS } from './world.ts';

/*
 * A worker's calls to the store, each in three stages with possibly other steps in between: it is
 * sent, the store executes it, its answer arrives. Like a real worker, it has at most one call of
 * each kind in progress.
 */

export interface Flight {
  state: 'sent' | 'executed';
  readonly request: (fault?: Fault) => Promise<Outcome>;
  readonly arrive: (outcome: Outcome) => void;
  outcome: Outcome | null;
}

/** Advances a worker's call as far as the step says. Returns what happened, for the trace. */
export async function advanceCall(worker: SimWorker, step: Step & { do: 'call' }): Promise<string> {
  const { flights } = worker;
  let flight = flights.get(step.call);
  if (flight === undefined) {
    const made = send(worker, step.call);
    if (made === null) return 'nothing';
    flight = { state: 'sent', outcome: null, ...made };
    flights.set(step.call, flight);
    if (step.upTo === 'sent') return 'sent';
  }
  if (flight.state === 'sent') {
    flight.outcome = await flight.request(step.fault);
    flight.state = 'executed';
    const kind = step.fault?.kind;
    if (kind === 'crash_before' || kind === 'crash_after') {
      worker.crash();
      return kind;
    }
    if (step.upTo === 'executed') return 'executed';
  }
  flights.delete(step.call);
  // The flight is in state `executed`, so it has an outcome.
  flight.arrive(flight.outcome as Outcome);
  // Code that awaits the answer continues within a few turns of the microtask queue.
  for (let i = 0; i < 4; i++) await null;
  return flight.outcome?.error === undefined ? 'ok' : 'error';
}

type Made = Pick<Flight, 'request' | 'arrive'>;

function send(worker: SimWorker, call: Call): Made | null {
  if (call !== 'write') worker.tick();
  const { member } = worker;
  if (call === 'member') return member === null ? join(worker) : leave(worker, member);
  if (member === null)
    return call === 'claim' && !worker.flights.has('member') ? join(worker) : null;
  switch (call) {
    case 'renew':
      return renew(worker, member);
    case 'claim':
      return claim(worker, member);
    case 'poll':
      return poll(worker, member);
    case 'takeOver':
      return takeOver(worker);
    case 'write':
      return write(worker, member);
  }
}

const made = <T>(
  worker: SimWorker,
  call: (store: Store) => Promise<T>,
  arrive: (outcome: Outcome<T>) => void,
  executed?: (outcome: Outcome<T>) => void,
): Made => ({
  request: async (fault = null) => {
    const { world } = worker;
    const outcome = await carryOut(world.sim, fault, call);
    world.checker.expectNoSurprise(outcome.error);
    executed?.(outcome);
    return outcome;
  },
  arrive: arrive as (outcome: Outcome) => void,
});

function join(worker: SimWorker): Made | null {
  if (worker.stopping) {
    worker.crash();
    return null;
  }
  const { world, plan, pid } = worker;
  const sentAt = world.now;
  let jumps = 0;
  const member: Member = {
    id: `node-${world.number()}`,
    writer: new SimWriter(),
    trustedUntil: sentAt + LEASE_MS - MARGIN_MS,
    jumps,
    sentAt,
  };
  const info = {
    id: member.id,
    host: plan.host,
    bootId: 'boot',
    pidNamespace: 'pids',
    pid,
    pidStart: '1',
    roles: ['worker' as const],
    types: [...plan.types],
    capacity: plan.capacity,
    version: '0',
  };
  return made(
    worker,
    (store) => {
      jumps = world.jumps;
      return store.join(info, LEASE_MS);
    },
    ({ error }) => {
      if (error !== undefined || worker.member !== null) return;
      member.jumps = jumps;
      worker.member = member;
    },
  );
}

/** A stopping worker with nothing left leaves; then its process ends. */
function leave(worker: SimWorker, member: Member): Made | null {
  if (!worker.stopping || worker.attempts.size > 0 || !member.writer.idle) return null;
  return made(
    worker,
    (store) => store.leave(member.id),
    () => worker.crash(),
  );
}

function renew(worker: SimWorker, member: Member): Made {
  const { world } = worker;
  const sentAt = world.now;
  let jumps = 0;
  return made(
    worker,
    (store) => {
      jumps = world.jumps;
      return store.renew(member.id, LEASE_MS);
    },
    ({ value }) => {
      if (value === false) worker.lose(member);
      if (value !== true) return;
      member.sentAt = sentAt;
      member.jumps = jumps;
      member.trustedUntil = sentAt + LEASE_MS - MARGIN_MS;
    },
  );
}

function claim(worker: SimWorker, member: Member): Made | null {
  const { world, plan } = worker;
  const limit = plan.capacity - worker.attempts.executing;
  if (worker.stopping || limit <= 0) return null;
  worker.claims.begun++;
  const request = { nodeId: member.id, types: worker.turnedTypes(), limit, caps: world.story.caps };
  return made(
    worker,
    (store) => store.claim(request),
    ({ value, error }) => {
      worker.claims.ended++;
      if (isBatonError(error, 'node_lost')) worker.lose(member);
      if (worker.member !== member) return;
      for (const one of value ?? []) worker.begin(one, member);
    },
    ({ value }) => world.checker.claimed(request, plan.host, value),
  );
}

function poll(worker: SimWorker, member: Member): Made {
  const sentAt = nextStamp();
  return made(
    worker,
    (store) => store.poll(member.id),
    ({ value }) => {
      if (value !== undefined && worker.member === member) worker.see(value, sentAt, member);
    },
  );
}

function takeOver(worker: SimWorker): Made | null {
  const { toTakeOver } = worker;
  if (toTakeOver === null) return null;
  worker.toTakeOver = null;
  return made(
    worker,
    (store) => store.takeOver(toTakeOver),
    () => {},
  );
}

function write(worker: SimWorker, { writer }: Member): Made | null {
  const batch = writer.batch();
  if (batch.length === 0) return null;
  const writes = batch.map((entry) => ({ ...entry.write }));
  const { checker } = worker.world;
  return {
    request: async (fault = null) => {
      const before = await checker.lanesOf(writes);
      const outcome = await carryOut(worker.world.sim, fault, (store) => store.write(writes));
      checker.expectNoSurprise(outcome.error);
      await checker.wrote(writes, before, outcome);
      return outcome;
    },
    arrive: ({ value }) => {
      if (value !== undefined) writer.answered(batch, value as boolean[]);
    },
  };
}
