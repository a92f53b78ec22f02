// Plays seeded stories of crashes and lost responses over a store, checking every promise of the
// queue after every step. `npm run simulate -- --seeds N [--seed S] [--store memory|sqlite]
// [--steps K]`; docs/simulator.md says what it checks.
import { parseArgs } from 'node:util';
import { search } from '../test/simulator/search.ts';
import { shrink } from '../test/simulator/shrink.ts';
import { inMemory, type StoreMaker } from '../test/simulator/sim-store.ts';
import { play } from '../test/simulator/simulate.ts';
import { sqliteMaker } from '../test/simulator/sqlite-store.ts';
import { makeStory } from '../test/simulator/story.ts';

const say = (text: string): void => {
  process.stdout.write(text);
};

function options() {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1000' },
      seed: { type: 'string' },
      from: { type: 'string', default: '1' },
      store: { type: 'string', default: 'memory' },
      steps: { type: 'string', default: '120' },
    },
  });
  const number = (name: string, text: string): number => {
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw new TypeError(`--${name} is not a whole number: ${text}`);
  };
  if (values.store !== 'memory' && values.store !== 'sqlite') {
    throw new TypeError(`--store is neither memory nor sqlite: ${values.store}`);
  }
  const one = values.seed === undefined ? null : number('seed', values.seed);
  return {
    store: values.store,
    maker: values.store === 'sqlite' ? sqliteMaker() : inMemory,
    steps: number('steps', values.steps),
    from: one ?? number('from', values.from),
    count: one === null ? number('seeds', values.seeds) : 1,
    replay: one !== null,
  };
}

function progress(count: number): (done: number) => void {
  if (!process.stdout.isTTY) return () => {};
  const began = performance.now();
  let next = 0;
  return (done) => {
    const now = performance.now();
    if (now < next && done < count) return;
    next = now + 250;
    const rate = Math.round(done / ((now - began) / 1000));
    say(`\r${done} of ${count} seeds, ${rate}/s `);
  };
}

async function show(seed: number, steps: number, store: string, maker: StoreMaker): Promise<void> {
  const story = makeStory(seed, steps);
  const { broken, hash } = await play(story, maker);
  if (broken === null) return;
  say(`\nSeed ${seed} breaks “${broken.invariant}”.\n  ${broken.message}\n`);
  const short = await shrink(story, broken.invariant, maker);
  say(`Trace ${hash}. The shortest list of steps that breaks the same invariant:\n`);
  for (const worker of short.workers) say(`  worker ${JSON.stringify(worker)}\n`);
  say(`  caps ${JSON.stringify(short.caps)}\n`);
  for (const [i, step] of short.steps.entries()) say(`  ${i + 1}. ${JSON.stringify(step)}\n`);
  say(`  ${(await play(short, maker)).broken?.message}\n`);
  say(`To repeat: npm run simulate -- --seed ${seed} --store ${store} --steps ${steps}\n`);
}

async function main(): Promise<number> {
  const { maker, steps, store, from, count, replay } = options();
  const began = performance.now();
  const failure = await search({ from, count, steps, maker, onSeed: progress(count) });
  if (failure !== null) {
    await show(failure.seed, steps, store, maker);
    return 1;
  }
  if (replay) say(`Trace ${(await play(makeStory(from, steps), maker)).hash}. `);
  const seconds = (performance.now() - began) / 1000;
  const rate = Math.round(count / seconds);
  say(`\r${count} seeds of ${steps} steps on ${store}, ${rate}/s: no invariant broken.\n`);
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
