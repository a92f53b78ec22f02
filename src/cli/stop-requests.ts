import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

/**
 * Counts how often someone asked this process to stop.
 *
 * A signal arrives here directly, or through the launcher, or both ways (Ctrl-C, a group kill), in
 * either order and with any delay. Someone who asked n times has sent at most n signals each way,
 * so the larger of the two counts is n, and no clock is needed.
 */
export function stopCounter(onRequest: (times: number, signal: StopSignal) => void) {
  const arrived = { directly: 0, throughLauncher: 0 };
  let times = 0;
  return (way: keyof typeof arrived, signal: StopSignal): void => {
    arrived[way] += 1;
    if (arrived[way] <= times) return;
    times = arrived[way];
    onRequest(times, signal);
  };
}

/**
 * Listens for signals, both direct ones and those that the launcher forwards. Calls `onRequest`
 * with 1, then 2, …
 */
export function onStopRequest(onRequest: (times: number, signal: StopSignal) => void): void {
  const count = stopCounter(onRequest);
  for (const signal of STOP_SIGNALS) process.on(signal, () => count('directly', signal));

  // Set by bin/handover.mjs; removed so that child processes do not inherit it.
  const fd = Number(process.env['BATON_LIFELINE_FD']);
  delete process.env['BATON_LIFELINE_FD'];
  if (!fd) return;
  const lifeline = new Worker(fileURLToPath(new URL('../../bin/lifeline.mjs', import.meta.url)), {
    workerData: { fd },
  });
  lifeline.on('message', (signal: StopSignal) => count('throughLauncher', signal));
  lifeline.unref();
}

/** The exit code that a shell reports for a process terminated by `signal`. */
export const exitCodeOf = (signal: StopSignal): number => 128 + constants.signals[signal];
