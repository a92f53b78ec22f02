import { Random } from './random.ts';
import { makeScene } from './scenes.ts';
import { type Call, type Fault, HOSTS, LANES, OWNERS, type Step, type Story } from './step.ts';

const BOTH = ['a', 'b'];
/** Number of runs enqueued first; otherwise most steps would have nothing to do. */
const FIRST = 5;
/** Probability of a whole scene instead of a step. */
const SCENE = 0.03;

export function makeStory(seed: number, length: number): Story {
  const random = new Random(seed);
  const workers = Array.from({ length: 3 + random.below(3) }, (_, i) => ({
    // Each host has a worker, or lanes pinned to it could never start.
    host: HOSTS[i] ?? random.from(HOSTS),
    types: random.chance(0.8) || i < HOSTS.length ? BOTH : ['a'],
    capacity: 1 + random.below(3),
  }));
  const caps = {
    types: { a: 1 + random.below(3) },
    perOwner: random.from([null, null, 1, 2]),
  };
  const steps = Array.from({ length: FIRST }, () => enqueue(random, workers.length));
  while (steps.length < length) {
    if (random.chance(SCENE)) steps.push(...makeScene(random, workers.length));
    else steps.push(makeStep(random, workers.length));
  }
  return { seed, workers, caps, steps };
}

type Maker = (random: Random, workers: number) => Step;

const call =
  (name: Call): Maker =>
  (random, workers) => ({
    do: 'call',
    worker: random.below(workers),
    fitting: true,
    call: name,
    upTo: random.from(['answered', 'answered', 'answered', 'answered', 'executed', 'sent']),
    fault: fault(random),
  });

const onRun =
  (what: 'cancel' | 'edit' | 'move' | 'remove' | 'retry' | 'answer'): Maker =>
  (random) => ({
    do: what,
    pick: random.below(100),
    other: random.chance(0.3) ? null : random.below(100),
    kind: random.chance(0.7) ? 'stop' : 'interrupt',
    fault: fault(random),
  });

const onLane =
  (what: 'hold' | 'resume' | 'note'): Maker =>
  (random) => ({ do: what, lane: random.below(LANES.length), fault: fault(random) });

const enqueue: Maker = (random) => ({
  do: 'enqueue',
  lane: random.chance(0.25) ? null : random.below(LANES.length),
  owner: random.below(OWNERS.length),
  type: random.chance(0.65) ? 'a' : 'b',
  delayMs: random.from([null, null, null, null, null, null, 0, 300, 4000]),
  maxAttempts: 1 + random.below(3),
  key: random.chance(0.2) ? random.below(2) : null,
  onBusy: random.from(['enqueue', 'enqueue', 'enqueue', 'enqueue', 'interrupt', 'reject']),
  count: random.from([1, 1, 1, 2, 3]),
  id: random.below(1000),
  fault: fault(random),
});

const configure: Maker = (random) => ({
  do: 'configure',
  lane: random.below(LANES.length),
  settings: {
    holdOnFailure: random.chance(0.5),
    host: random.from([null, null, ...HOSTS]),
    pin: random.chance(0.3),
    kept: random.chance(0.5),
  },
  fault: fault(random),
});

const work: Maker = (random, workers) => ({
  do: 'work',
  worker: random.below(workers),
  fitting: true,
  pick: random.below(100),
  what: random.from(['event', 'event', 'commit', 'ask', 'return', 'return', 'return', 'return']),
  outcome: random.from([
    'succeeded',
    'succeeded',
    'fails',
    'breaks',
    'breaks',
    'handed_back',
    'parked',
    'gives_up',
  ]),
});

const WAITS = [1, 20, 100, 300, 300, 1000, 1000, 2500, 6000, 12_000, 31_000];
const wait: Maker = (random) => ({
  do: 'wait',
  ms: random.from(WAITS),
  renew: random.chance(0.8),
});

const JUMPS = [-200, -40, 500, 2500, 5000, 40_000];

/** The kinds of steps, with their weights. */
const MAKERS: readonly (readonly [weight: number, make: Maker])[] = [
  [16, enqueue],
  [18, call('claim')],
  [16, call('write')],
  [7, call('poll')],
  [4, call('takeOver')],
  [3, call('renew')],
  [2, call('member')],
  [22, work],
  [3, onRun('cancel')],
  [1, onRun('edit')],
  [3, onRun('move')],
  [1, onRun('remove')],
  [2, onRun('retry')],
  [3, onRun('answer')],
  [2, onLane('hold')],
  [3, onLane('resume')],
  [1, onLane('note')],
  [2, configure],
  [1, (random) => ({ do: 'stop_all', fault: fault(random) })],
  [3, (random) => ({ do: 'resume_all', fault: fault(random) })],
  [2, (random) => ({ do: 'late', pick: random.below(100), fault: fault(random) })],
  [2, (random, workers) => ({ do: 'crash', worker: random.below(workers) })],
  [3, (random, workers) => ({ do: 'start', worker: random.below(workers), fitting: true })],
  [1, (random, workers) => ({ do: 'stop', worker: random.below(workers) })],
  [
    2,
    (random, workers) => ({
      do: 'pause',
      worker: random.below(workers),
      ms: random.from([500, 5000, 28_000, 31_000, 45_000]),
    }),
  ],
  [8, wait],
  [1, (random) => ({ do: 'jump', ms: random.from(JUMPS) })],
];
const TOTAL = MAKERS.reduce((sum, [weight]) => sum + weight, 0);

function makeStep(random: Random, workers: number): Step {
  let at = random.below(TOTAL);
  for (const [weight, make] of MAKERS) {
    if (at < weight) return make(random, workers);
    at -= weight;
  }
  throw new Error('the weights do not add up');
}

function fault(random: Random): Fault {
  if (!random.chance(0.12)) return null;
  const kind = random.from([
    'unreached',
    'answer_lost',
    'answer_lost',
    'statement',
    'statement',
    'crash_before',
    'crash_after',
  ] as const);
  // Low numbers are more likely to be reached.
  return kind === 'statement' ? { kind, n: 1 + Math.floor(random.next() ** 2 * 25) } : { kind };
}
