import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import type { Moment, ProcessRow, ProcessTable } from './process-table.ts';
import { withSpareDescriptor } from './spare-descriptor.ts';
import { TAG_VARIABLE } from './tag.ts';

/** For Linux, from /proc. */
export function procProcessTable(): ProcessTable {
  // One buffer for all reads: the files are short, and sharing it makes a listing three times as fast.
  const buffer = Buffer.alloc(64 * 1024);
  const read = (path: string): string | null => {
    try {
      return withSpareDescriptor(() => {
        const file = openSync(path, 'r');
        try {
          return buffer.toString('latin1', 0, readSync(file, buffer));
        } finally {
          closeSync(file);
        }
      });
    } catch {
      // There is no such process, or it ended between open and read.
      return null;
    }
  };
  const observe = (pid: number): ProcessRow | null => {
    const stat = read(`/proc/${pid}/stat`);
    return stat === null ? null : parseStat(pid, stat);
  };
  // Threads have ids in /proc too, and a signal to one of them reaches its whole process.
  const isProcess = (pid: number): boolean =>
    Number(/^Tgid:\s*(\d+)$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1]) === pid;
  const newest = (): number | null =>
    Number(read('/proc/loadavg')?.trim().split(' ').at(-1)) || null;
  const now = (): Moment => ({
    newest: newest() ?? 0,
    forks: Number(/^processes (\d+)$/m.exec(read('/proc/stat') ?? '')?.[1] ?? Number.NaN),
  });
  return {
    observe,
    newest,
    now,
    list: (since) => {
      const pids = withSpareDescriptor(() => readdirSync('/proc'))
        .map(Number)
        .filter((pid) => pid > 0);
      const isNew = since === undefined ? () => true : newerThan(since, now());
      return pids.filter(isNew).flatMap((pid) => observe(pid) ?? []);
    },
    tagOf: (pid) => {
      try {
        const tag = findTag(withSpareDescriptor(() => readFileSync(`/proc/${pid}/environ`)));
        return tag !== null && isProcess(pid) ? tag : null;
      } catch {
        return null;
      }
    },
  };
}

/** Smaller than the range of pids on any system. */
const ONE_ROUND = 16_000;

/**
 * Pids are assigned in order, so those of new processes lie between two moments, unless so many
 * were started that the numbers may have wrapped around.
 */
export function newerThan(since: Moment, now: Moment): (pid: number) => boolean {
  if (!(now.forks - since.forks < ONE_ROUND)) return () => true;
  if (now.newest >= since.newest) return (pid) => pid > since.newest && pid <= now.newest;
  return (pid) => pid > since.newest || pid <= now.newest;
}

/**
 * Reads the fields of /proc/<pid>/stat after the last parenthesis: the second field is the
 * program's name, which may contain spaces and parentheses itself.
 */
export function parseStat(pid: number, stat: string): ProcessRow {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const number = (index: number): number => Number(fields[index]);
  return {
    pid,
    ended: fields[0] === 'Z' || fields[0] === 'X',
    parent: number(1),
    group: number(2),
    session: number(3),
    start: number(19),
  };
}

const NAME = Buffer.from(`${TAG_VARIABLE}=`);

/**
 * Finds the tag in an environment, whose variables end with NUL. If a name is repeated, the first
 * counts.
 */
export function findTag(environment: Buffer): string | null {
  for (let at = environment.indexOf(NAME); at !== -1; at = environment.indexOf(NAME, at + 1)) {
    if (at > 0 && environment[at - 1] !== 0) continue;
    const end = environment.indexOf(0, at);
    return environment.toString('utf8', at + NAME.length, end === -1 ? undefined : end);
  }
  return null;
}
