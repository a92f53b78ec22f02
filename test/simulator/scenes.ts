import type { Random } from './random.ts';
import type { Call, Fault, Step } from './step.ts';

/*
 * Sequences of steps that rarely occur by chance: each makes a worker and the store disagree. Other
 * steps come before and after them, not in between.
 */

type Scene = (one: number, other: number, random: Random) => Step[];

const call = (worker: number, name: Call, fault: Fault = null): Step => ({
  do: 'call',
  worker,
  call: name,
  upTo: 'answered',
  fault,
});
const work = (worker: number, what: 'event' | 'commit' | 'ask' | 'return'): Step => ({
  do: 'work',
  worker,
  pick: 0,
  what,
  outcome: 'succeeded',
});
const takeOver = (worker: number): Step[] => [
  call(worker, 'poll'),
  call(worker, 'takeOver'),
  call(worker, 'claim'),
];
const PAST_LEASE: Step = { do: 'wait', ms: 31_000, renew: true };

/** A worker is suspended past its lease, others take over, then it continues as if nothing had happened. */
const overslept: Scene = (one, other, random) => [
  call(one, 'claim'),
  work(one, 'event'),
  call(one, 'write'),
  { do: 'pause', worker: one, ms: 31_000 },
  PAST_LEASE,
  ...takeOver(other),
  call(other, 'write'),
  work(one, random.from(['event', 'commit', 'return', 'return'])),
  call(one, 'write'),
];

/** The store's clock expires a lease that its worker still trusts. */
const jumped: Scene = (one, other) => [
  call(one, 'claim'),
  { do: 'jump', ms: 40_000 },
  // The other worker's lease has expired too; it joins again.
  call(other, 'renew'),
  call(other, 'claim'),
  ...takeOver(other),
  work(one, 'return'),
  call(one, 'write'),
];

/** The answer to a claim is lost, and the worker learns by polling what it holds. */
const lostClaim: Scene = (one, _other, random) => [
  call(one, 'claim', { kind: 'answer_lost' }),
  call(one, 'poll'),
  ...(random.chance(0.5) ? [call(one, 'claim')] : []),
  call(one, 'poll'),
  call(one, 'write', random.chance(0.5) ? { kind: 'answer_lost' } : null),
  call(one, 'poll'),
  call(one, 'write'),
];

/** The answer to a write is lost, perhaps twice, and it is sent again. */
const lostWrite: Scene = (one, _other, random) => [
  call(one, 'claim'),
  work(one, 'event'),
  call(one, 'write', { kind: 'answer_lost' }),
  work(one, random.from(['event', 'commit', 'ask', 'return'])),
  call(one, 'write', random.chance(0.5) ? { kind: 'answer_lost' } : null),
  call(one, 'write'),
  call(one, 'write'),
];

/** A final outcome is committed, then the process dies before it ends the attempt. */
const committedThenDead: Scene = (one, other) => [
  call(one, 'claim'),
  work(one, 'commit'),
  call(one, 'write'),
  { do: 'crash', worker: one },
  PAST_LEASE,
  ...takeOver(other),
  { do: 'start', worker: one },
];

/** A run that kills every process that executes it. */
const poison: Scene = (one, other) =>
  [0, 1, 2].flatMap((): Step[] => [
    call(one, 'claim'),
    call(one, 'write'),
    { do: 'crash', worker: one },
    { do: 'start', worker: one },
    PAST_LEASE,
    call(one, 'poll'),
    call(one, 'takeOver'),
    call(other, 'poll'),
    call(other, 'takeOver'),
  ]);

/** A question that is answered shortly before or after the worker that asked it dies. */
const askedThenDead: Scene = (one, other, random) => {
  const answer: Step = { do: 'answer', pick: 0, other: null, kind: 'stop', fault: null };
  const first = random.chance(0.5);
  return [
    call(one, 'claim'),
    work(one, 'ask'),
    call(one, 'write'),
    ...(first ? [answer] : []),
    { do: 'crash', worker: one },
    PAST_LEASE,
    ...takeOver(other),
    ...(first ? [] : [answer]),
    call(other, 'claim'),
    { do: 'start', worker: one },
  ];
};

/** The installation is stopped while a run executes, and its worker dies before handing it back. */
const stoppedThenDead: Scene = (one, other, random) => [
  call(one, 'claim'),
  { do: 'stop_all', fault: null },
  call(other, 'claim'),
  ...(random.chance(0.5) ? [call(one, 'poll'), work(one, 'return')] : []),
  { do: 'crash', worker: one },
  PAST_LEASE,
  ...takeOver(other),
  { do: 'resume_all', fault: null },
  call(other, 'claim'),
  { do: 'start', worker: one },
];

const SCENES = [
  overslept,
  overslept,
  jumped,
  lostClaim,
  lostWrite,
  committedThenDead,
  poison,
  askedThenDead,
  stoppedThenDead,
];

export function makeScene(random: Random, workers: number): Step[] {
  const one = random.below(workers);
  const other = (one + 1 + random.below(workers - 1)) % workers;
  return random.from(SCENES)(one, other, random);
}
