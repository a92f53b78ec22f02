import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, beforeEach } from 'vitest';
import {
  type Moment,
  type ProcessRow,
  processTable,
} from '../../../src/workspaces/local/processes/process-table.ts';

/*
 * Runs with every test file: a test fails if a process that it started outlives it. Such processes
 * are recognised by a nonexistent folder in their PATH: PATH is the one variable that even agents
 * and programs with their own environment inherit.
 */

const BEGINNING = `/no-such-folder/of-test-process-${process.pid}-`;
const path = (process.env['PATH'] ?? '').split(delimiter);
/** Tags this process, which runs one file after another. */
const TAG = path.find((folder) => folder.startsWith(BEGINNING)) ?? `${BEGINNING}${Date.now()}`;
if (!path.includes(TAG)) process.env['PATH'] = [...path, TAG].join(delimiter);

/** For processes that were stopped at the last moment; the machine may be busy. */
const GRACE_MS = 20_000;

const table = processTable();
/** The time of the last check of all processes, and the processes of these tests alive then. */
let checkedAt: Moment | undefined;
let ours: readonly ProcessRow[] = [];
const nameOf = ({ pid, start }: ProcessRow): string => `${pid} ${start}`;

beforeEach(({ onTestFinished }) => {
  // Processes that belong to the whole file or to a group of tests.
  const before = new Set(started().map(nameOf));
  // Callbacks run in reverse order, so the test's own clean-up comes first.
  onTestFinished(() =>
    gone((rows) => {
      const there = new Set(rows.map(nameOf));
      // The test restarted one of them, e.g. a database; leftovers are detected when the file ends.
      if ([...before].some((name) => !there.has(name))) return [];
      return rows.filter((row) => !isOf(before, row, rows));
    }),
  );
});

// A clean-up function of `beforeAll` runs after everything the file does at its end.
beforeAll(() => () => gone((rows) => rows));

/** Live processes of these tests. Only new ones are examined in full, because there are many tests. */
function started(): readonly ProcessRow[] {
  const moment = table.now();
  const fresh = table.list(checkedAt).filter(({ pid, ended }) => pid !== process.pid && !ended);
  checkedAt = moment;
  const alive = ours.flatMap((row) => {
    const now = table.observe(row.pid);
    return now?.start === row.start && !now.ended ? [now] : [];
  });
  const pids = new Set([process.pid, ...alive.map(({ pid }) => pid)]);
  for (const { pid } of fresh) if (environmentOf(pid).includes(TAG)) pids.add(pid);
  for (let size = 0; size < pids.size; ) {
    size = pids.size;
    for (const { pid, parent } of fresh) if (pids.has(parent)) pids.add(pid);
  }
  const known = new Set(alive.map(nameOf));
  ours = [...alive, ...fresh.filter((row) => pids.has(row.pid) && !known.has(nameOf(row)))];
  return ours;
}

/** Whether a process is one of these, or was started by one. */
function isOf(known: ReadonlySet<string>, row: ProcessRow, rows: readonly ProcessRow[]): boolean {
  for (let at: ProcessRow | undefined = row; at !== undefined; ) {
    if (known.has(nameOf(at))) return true;
    const { parent }: ProcessRow = at;
    at = rows.find(({ pid }) => pid === parent);
  }
  return false;
}

async function gone(among: (rows: readonly ProcessRow[]) => readonly ProcessRow[]): Promise<void> {
  const deadline = performance.now() + GRACE_MS;
  let left = among(started());
  while (left.length > 0 && performance.now() < deadline) {
    await delay(20);
    left = among(started());
  }
  if (left.length === 0) return;
  const leftovers = left.map(({ pid }) => `${pid} ${commandOf(pid)}`).join('\n');
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended now, but too late.
    }
  }
  throw new Error(`Processes of this test were left:\n${leftovers}`);
}

function environmentOf(pid: number): string {
  if (process.platform !== 'linux') return ps('-E', '-ww', '-o', 'command=', '-p', String(pid));
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

const commandOf = (pid: number): string => ps('-ww', '-o', 'args=', '-p', String(pid)).trim();

function ps(...args: string[]): string {
  try {
    return execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
