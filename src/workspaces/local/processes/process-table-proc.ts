import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import type { Moment, ProcessRow, ProcessTable } from './process-table.ts';
import { withSpareDescriptor } from './spare-descriptor.ts';
import { TAG_VARIABLE } from './tag.ts';

/** The process table on Linux, read from /proc. */
export function procProcessTable(): ProcessTable {
  // One buffer for all reads: the files are short, and sharing it makes a listing three times as
  // fast.
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
      // There is no such process, or it exited between open and read.
      return null;
    }
  };
  const observe = (pid: number): ProcessRow | null => {
    const stat = read(`/proc/${pid}/stat`);
    return stat === null ? null : parseStat(pid, stat);
  };
  // Threads also have ids in /proc, and a signal to a thread reaches its whole process.
  const isProcess = (pid: number): boolean =>
    Number(/^Tgid:\s*(\d+)$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1]) === pid;
  const newest = (): number | null =>
    Number(read('/proc/loadavg')?.trim().split(' ').at(-1)) || null;
  const now = (): Moment => ({
    newest: newest() ?? 0,
    forks: Number(/^processes (\d+)$/m.exec(read('/proc/stat') ?? '')?.[1] ?? Number.NaN),
  });
  // Read each time, because an administrator may change it at any time.
  const pidLimit = (): number => Number(read('/proc/sys/kernel/pid_max')?.trim()) || 0;
  return {
    observe,
    newest,
    now,
    list: (since) => {
      const pids = withSpareDescriptor(() => readdirSync('/proc'))
        .map(Number)
        .filter((pid) => pid > 0);
      const isNew = since === undefined ? () => true : newerThan(since, now(), pidLimit());
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

/**
 * Whether a pid may belong to a process started between the two moments, on a system with pids
 * below `limit`. Pids are assigned in order, so such a pid lies between the newest pids of the two
 * moments, unless so many processes were started that the numbers may have gone round completely.
 * Half the limit leaves room for pids that are skipped, because they are reserved or in use.
 */
export function newerThan(since: Moment, now: Moment, limit: number): (pid: number) => boolean {
  if (!(now.forks - since.forks < limit / 2)) return () => true;
  if (now.newest >= since.newest) return (pid) => pid > since.newest && pid <= now.newest;
  return (pid) => pid > since.newest || pid <= now.newest;
}

/**
 * Reads the fields of /proc/<pid>/stat after the last parenthesis: the second field is the
 * program's name, which may contain spaces and parentheses.
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
 * Finds the tag in an environment, where each variable ends with a NUL. If a name is repeated, the
 * first counts.
 */
export function findTag(environment: Buffer): string | null {
  for (let at = environment.indexOf(NAME); at !== -1; at = environment.indexOf(NAME, at + 1)) {
    if (at > 0 && environment[at - 1] !== 0) continue;
    const end = environment.indexOf(0, at);
    return environment.toString('utf8', at + NAME.length, end === -1 ? undefined : end);
  }
  return null;
}
