import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { MARK_VARIABLE } from './mark.ts';
import type { ProcessRow, ProcessTable } from './process-table.ts';

/** Linux: /proc. */
export function procProcessTable(): ProcessTable {
  // A stat line is short; one buffer for all of them makes a look three times as fast.
  const buffer = Buffer.alloc(4096);
  const look = (pid: number): ProcessRow | null => {
    let file: number;
    try {
      file = openSync(`/proc/${pid}/stat`, 'r');
    } catch {
      return null;
    }
    try {
      return parseStat(pid, buffer.toString('latin1', 0, readSync(file, buffer)));
    } catch {
      // It ended between open and read.
      return null;
    } finally {
      closeSync(file);
    }
  };
  return {
    look,
    list: () =>
      readdirSync('/proc')
        .map(Number)
        .filter((pid) => pid > 0)
        .sort((a, b) => b - a)
        .flatMap((pid) => look(pid) ?? []),
    markOf: (pid) => {
      try {
        return findMark(readFileSync(`/proc/${pid}/environ`));
      } catch {
        return null;
      }
    },
  };
}

/**
 * The fields of /proc/<pid>/stat count from after the last parenthesis: the second one is the
 * program's name, which may itself hold spaces and parentheses.
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

const NAME = Buffer.from(`${MARK_VARIABLE}=`);

/** In an environment, where every variable ends with a NUL. The first of a name is the one that counts. */
export function findMark(environment: Buffer): string | null {
  for (let at = environment.indexOf(NAME); at !== -1; at = environment.indexOf(NAME, at + 1)) {
    if (at > 0 && environment[at - 1] !== 0) continue;
    const end = environment.indexOf(0, at);
    return environment.toString('utf8', at + NAME.length, end === -1 ? undefined : end);
  }
  return null;
}
