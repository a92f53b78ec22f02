/** A command of a soak: arguments for Node, and variables to set. */
export interface Command {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Part {
  readonly about: string;
  /** The commands of one round, which takes its random choices from the seed. */
  readonly round: (seed: number, minutes: number) => readonly Command[];
  /** Whether further rounds follow, with the next seeds, until the time is up. */
  readonly repeats: boolean;
}

const chaos = (...args: string[]): Command => ({ args: ['chaos/main.ts', ...args] });

/** How many cases the generated tests run, compared with `npm test`. */
const DEPTH = 5;
const tests = (seed: number, depth: number, ...filters: string[]): Command => ({
  args: ['node_modules/vitest/vitest.mjs', 'run', ...filters],
  env: { TEST_SEED: String(seed), TEST_DEPTH: String(depth) },
});

/** Stories that the simulator plays in a round, over each store. */
const STORIES = { memory: 5000, sqlite: 500 };

/** The long forms of what `npm test` proves in short. */
export const PARTS: Readonly<Record<string, Part>> = {
  'chaos-queue': {
    about: 'workers on two hosts are killed, paused and cut off from PostgreSQL',
    round: (seed, minutes) => [
      chaos('queue', '--seconds', String(minutes * 60), '--seed', String(seed)),
    ],
    repeats: false,
  },
  'chaos-api': {
    about: 'servers are killed while users send, cancel and follow; on both databases',
    round: (seed, minutes) =>
      ['postgres', 'sqlite'].map((database) =>
        chaos(
          'api',
          ...['--database', database],
          ...['--seconds', String(minutes * 30), '--seed', String(seed)],
        ),
      ),
    repeats: false,
  },
  'chaos-cluster': {
    about: 'nodes behind a load balancer are killed, replaced and cut off',
    round: (seed, minutes) => [
      chaos('cluster', '--minutes', String(minutes), '--seed', String(seed)),
    ],
    repeats: false,
  },
  simulator: {
    about: 'stories of crashes and lost responses, over two stores',
    round: (seed) =>
      Object.entries(STORIES).map(([store, count]) => ({
        args: [
          'scripts/simulate.ts',
          ...['--store', store, '--seeds', String(count), '--from', String(seed * count)],
        ],
      })),
    repeats: true,
  },
  models: {
    about: 'random calls on each store, compared with a model',
    round: (seed) => [tests(seed, DEPTH, '.model.test.ts')],
    repeats: true,
  },
  fuzz: {
    about: 'hostile requests to every route, and random rules, commands and secrets',
    round: (seed) => [
      tests(seed, DEPTH, 'api-fuzz', 'properties.test.ts', 'masking/', 'lane-machine', 'retry'),
    ],
    repeats: true,
  },
  layouts: {
    about: 'every page in every state, on every device, in both languages and themes',
    round: (seed) => [tests(seed, 2, 'test/web/web-layout')],
    repeats: false,
  },
  matrices: {
    about: 'all cases of every other test: kill -9 at every moment, every route for everyone',
    round: (seed) => [tests(seed, 2, '--exclude', 'test/web/web-layout.test.ts')],
    repeats: false,
  },
  benchmarks: {
    about: 'one round of every benchmark, which checks that everything it started was done',
    round: (_, minutes) =>
      ['queue', 'api', 'cluster', 'policy', 'agents', 'web'].map((name) => ({
        args: ['bench/main.ts', name, '--rounds', '1', '--minutes', String(minutes)],
      })),
    repeats: false,
  },
};
