// The program that the launcher runs. Signal handlers are installed before anything heavy is
// imported, so that a stop signal is handled even while modules load.
import { setTimeout as delay } from 'node:timers/promises';
import { exitCodeOf, onStopRequest } from './stop-requests.ts';

/** How much longer to wait, after the second signal, for work that the first signal started. */
const BEFORE_EXIT_MS = 1000;
/** Commands that handle the first signal themselves; all others exit at once. */
const NODES = ['up', 'api', 'worker', 'migrate'];
const FOLLOWERS = ['run', 'send'];

const stop = new AbortController();
const beforeExit = new Set<Promise<unknown>>();
const [command = 'help', ...args] = process.argv.slice(2);

onStopRequest((times, signal) => {
  // Closing the terminal does not cancel the run that was started in it.
  const own = NODES.includes(command) || (FOLLOWERS.includes(command) && signal !== 'SIGHUP');
  const exit = (): never => process.exit(exitCodeOf(signal));
  if (!own || times > 2) exit();
  else if (times === 1) stop.abort();
  else void Promise.race([Promise.allSettled(beforeExit), delay(BEFORE_EXIT_MS)]).then(exit);
});

const { run } = await import('./commands.ts');
const code = await run(command, args, { stop: stop.signal, beforeExit });
const { flushed } = await import('./output/output.ts');
await flushed();
// Exits explicitly, because a handle left open by a stopped component must not keep the process
// alive.
process.exit(code);
