// What the launcher runs. Signals first, everything heavy afterwards: a stop that comes while
// modules are still loading must find its handler.
import { exitCodeOf, onStopRequest } from './stop.ts';

const stop = new AbortController();
const [command = 'help', ...args] = process.argv.slice(2);

onStopRequest((times, signal) => {
  const graceful = command === 'up' && times === 1;
  if (!graceful) process.exit(exitCodeOf(signal));
  stop.abort();
});

const { run } = await import('./commands.ts');
// The exit is explicit: whatever a stopped part has left open must not keep the process.
process.exit(await run(command, args, stop.signal));
