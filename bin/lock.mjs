// A lock between processes on one machine: a file that names its holder.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 200;

/** Runs `run` while holding `file`; calls `waiting` once if someone else holds it. */
export async function withLock(file, { waiting, run }) {
  mkdirSync(dirname(file), { recursive: true });
  const me = `${process.pid} ${startTime(process.pid)}`;
  let announced = false;
  while (!take(file, me)) {
    if (!announced) waiting();
    announced = true;
    await delay(POLL_MS);
  }
  // Also runs if the process exits inside `run`. After a kill -9, the file remains and names a dead
  // holder.
  const release = () => {
    if (read(file) === me) rmSync(file, { force: true });
  };
  process.once('exit', release);
  try {
    await run();
  } finally {
    process.off('exit', release);
    release();
  }
}

function take(file, me) {
  try {
    writeFileSync(`${file}.${process.pid}`, me);
    // Linked rather than written, so that no other process sees an incomplete file.
    linkSync(`${file}.${process.pid}`, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(`${file}.${process.pid}`, { force: true });
  }
  const holder = read(file);
  if (holder !== undefined && !isAlive(holder)) removeStale(file, holder);
  return false;
}

/**
 * Another process may have done the same and now hold the lock; in that case, its file is put back.
 */
function removeStale(file, holder) {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
    if (read(aside) !== holder) linkSync(aside, file);
  } catch {
    // Another process was faster; the next attempt checks again.
  } finally {
    rmSync(aside, { force: true });
  }
}

function isAlive(holder) {
  const [pid, started] = holder.split(' ');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
  }
  return startTime(pid) === started;
}

/**
 * Distinguishes a process from a later one with the same id; without /proc, only the id is
 * compared.
 */
function startTime(pid) {
  const stat = read(`/proc/${pid}/stat`);
  // The name in parentheses may contain spaces; the start time is the 20th field after it.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 'unknown';
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
