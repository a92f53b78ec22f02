import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const NAME = 'BATON_AGENT_MARK=';

/** Processes with an installation's tag in their environment, with their command lines. */
export function leftoversOf(installation: string): string[] {
  return existsSync('/proc/self/environ') ? inProc(installation) : byPs(installation);
}

function inProc(installation: string): string[] {
  const leftovers: string[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
      if (!environment.some((each) => each.startsWith(`${NAME}${installation}:`))) continue;
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      leftovers.push(`${pid}: ${words.slice(0, 200)}`);
    } catch {
      // The process has ended or belongs to another user.
    }
  }
  return leftovers;
}

function byPs(installation: string): string[] {
  const { stdout } = spawnSync('ps', ['-A', '-E', '-ww', '-o', 'pid=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split('\n').filter((line) => line.includes(`${NAME}${installation}:`));
}
