import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, beforeEach } from 'vitest';
import { type Moment, type ProcessRow, processTable } from '../../src/agents/process-table.ts';

/*
 * Runs with every test file: what a test starts must be gone when it ends, else it fails. Whatever
 * a test starts is known by a folder in its PATH that is not there: of all variables that is the one
 * which agents and programs with an environment of their own get, too.
 */

const BEGINNING = `/no-such-folder/of-test-process-${process.pid}-`;
const path = (process.env['PATH'] ?? '').split(delimiter);
/** Of this process, which runs one file after another. */
const MARK = path.find((folder) => folder.startsWith(BEGINNING)) ?? `${BEGINNING}${Date.now()}`;
if (!path.includes(MARK)) process.env['PATH'] = [...path, MARK].join(delimiter);

/** For what was killed or told to stop in the last moment; the machine may be busy. */
const GRACE_MS = 20_000;

const table = processTable();
/** Until when all processes were looked at, and those of these tests that were alive then. */
let looked: Moment | undefined;
let ours: readonly ProcessRow[] = [];
const nameOf = ({ pid, start }: ProcessRow): string => `${pid} ${start}`;

beforeEach(({ onTestFinished }) => {
  // Of the whole file, or of a group of tests.
  const before = new Set(started().map(nameOf));
  // The first to be asked for is the last to be called, so that a test's own clean-up is over.
  onTestFinished(() =>
    gone((rows) => {
      const there = new Set(rows.map(nameOf));
      // Started again by the test, as a database may be; what is left is seen when the file ends.
      if ([...before].some((name) => !there.has(name))) return [];
      return rows.filter((row) => !isOf(before, row, rows));
    }),
  );
});

// As its clean-up, which is called after all that a file has for its end.
beforeAll(() => () => gone((rows) => rows));

/** What these tests started, and is alive. Only what is new is looked at whole: there are many tests. */
function started(): readonly ProcessRow[] {
  const moment = table.now();
  const fresh = table.list(looked).filter(({ pid, ended }) => pid !== process.pid && !ended);
  looked = moment;
  const alive = ours.flatMap((row) => {
    const now = table.look(row.pid);
    return now?.start === row.start && !now.ended ? [now] : [];
  });
  const pids = new Set([process.pid, ...alive.map(({ pid }) => pid)]);
  for (const { pid } of fresh) if (environmentOf(pid).includes(MARK)) pids.add(pid);
  for (let size = 0; size < pids.size; ) {
    size = pids.size;
    for (const { pid, parent } of fresh) if (pids.has(parent)) pids.add(pid);
  }
  const known = new Set(alive.map(nameOf));
  ours = [...alive, ...fresh.filter((row) => pids.has(row.pid) && !known.has(nameOf(row)))];
  return ours;
}

/** One of those, or started by one. */
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
  const told = left.map(({ pid }) => `${pid} ${commandOf(pid)}`).join('\n');
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone after all; it was here too long.
    }
  }
  throw new Error(`Processes of this test were left:\n${told}`);
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
