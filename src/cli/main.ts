// What the launcher runs. Signals first, everything heavy afterwards: a stop that comes while
// modules are still loading must find its handler.
import { setTimeout as delay } from 'node:timers/promises';
import { exitCodeOf, onStopRequest } from './stop.ts';

/** How long what was begun at the first signal may take after the second. */
const LAST_WORDS_MS = 1000;
/** Commands that end in their own way at the first signal; all others end at once. */
const NODES = ['up', 'api', 'worker', 'migrate'];
const FOLLOWERS = ['run', 'send'];

const stop = new AbortController();
const lastWords = new Set<Promise<unknown>>();
const [command = 'help', ...args] = process.argv.slice(2);

onStopRequest((times, signal) => {
  // A closed terminal is no wish to cancel what was started in it.
  const own = NODES.includes(command) || (FOLLOWERS.includes(command) && signal !== 'SIGHUP');
  const exit = (): never => process.exit(exitCodeOf(signal));
  if (!own || times > 2) exit();
  else if (times === 1) stop.abort();
  else void Promise.race([Promise.allSettled(lastWords), delay(LAST_WORDS_MS)]).then(exit);
});

const { run } = await import('./commands.ts');
const code = await run(command, args, { stop: stop.signal, lastWords });
const { flushed } = await import('./output/output.ts');
await flushed();
// The exit is explicit: whatever a stopped part has left open must not keep the process.
process.exit(code);
