import { execFileSync } from 'node:child_process';
import type { ProcessRow, ProcessTable } from './process-table.ts';
import { TAG_VARIABLE } from './tag.ts';

/**
 * The process table on macOS and other systems, read with ps. Best effort: ps is slow compared to
 * short-lived processes, start times are whole seconds, and system programs hide their environment.
 */
export function macProcessTable(): ProcessTable {
  const columns = 'pid=,ppid=,pgid=,stat=,lstart=';
  const rows = (which: string[]): ProcessRow[] =>
    ps([...which, '-o', columns])
      .split('\n')
      .flatMap((line) => parseRow(line) ?? []);
  return {
    list: () => rows(['-ax']).sort((a, b) => b.pid - a.pid),
    observe: (pid) => rows(['-p', String(pid)])[0] ?? null,
    tagOf: (pid) => {
      const match = new RegExp(` ${TAG_VARIABLE}=(\\S+)`).exec(
        ps(['-E', '-ww', '-o', 'command=', '-p', String(pid)]),
      );
      return match?.[1] ?? null;
    },
    newest: () => null,
    now: () => ({ newest: 0, forks: 0 }),
  };
}

/** ps does not report sessions; the process group is the closest thing. */
export function parseRow(line: string): ProcessRow | null {
  const [pid, parent, group, state, ...start] = line.trim().split(/\s+/);
  const at = Date.parse(start.join(' '));
  if (state === undefined || Number.isNaN(at)) return null;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: Number(group),
    start: at,
    ended: state.startsWith('Z'),
  };
}

function ps(args: string[]): string {
  try {
    return execFileSync('ps', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
      // ps prints the start time in the caller's locale and time zone.
      env: { PATH: process.env['PATH'] ?? '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
    });
  } catch {
    // ps also fails if there is no such pid.
    return '';
  }
}
