import fastq from 'fastq';
import PQueue from 'p-queue';
import { now, rate } from '../measure.ts';
import { mustBe } from '../workload.ts';

/** Tasks per second through p-queue, which keeps functions in memory and stores nothing. */
export async function addAndDrain(tasks: number, concurrency: number): Promise<number> {
  const queue = new PQueue({ concurrency });
  let done = 0;
  const task = async (): Promise<void> => {
    done++;
  };
  const begun = now();
  for (let i = 0; i < tasks; i++) void queue.add(task);
  await queue.onIdle();
  const value = rate(tasks, now() - begun);
  mustBe('tasks of p-queue', done, tasks);
  return value;
}

/** The same through fastq, which does even less: the upper bound. */
export async function pushAndDrain(tasks: number, concurrency: number): Promise<number> {
  let done = 0;
  const queue = fastq.promise(async (_: number) => {
    done++;
  }, concurrency);
  const begun = now();
  for (let i = 0; i < tasks; i++) void queue.push(i);
  await queue.drained();
  const value = rate(tasks, now() - begun);
  mustBe('tasks of fastq', done, tasks);
  return value;
}
