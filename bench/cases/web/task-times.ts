interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** The categories that a trace needs for `longestTask`. */
export const TASKS = ['toplevel'];

/**
 * The processor time in milliseconds of the longest task of a page, from a trace of its browser.
 * Unlike elapsed time, it does not grow with the load of the machine.
 */
export function longestTask(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(threadOf),
  );
  const tasks = traceEvents.filter(
    (event) => event.ph === 'X' && event.name.endsWith('RunTask') && mains.has(threadOf(event)),
  );
  if (tasks.length === 0) throw new Error('no tasks in the trace');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
