import { stat } from 'node:fs/promises';
import { isBusy } from '../../../contract/outcome.ts';
import { StartError } from '../../process.ts';

/** Explains the system's error code. */
export async function startError(
  program: string,
  cwd: string,
  cause: unknown,
): Promise<StartError> {
  const { code, message } = cause as NodeJS.ErrnoException;
  const say = (text: string, more: { busy?: boolean; missing?: boolean } = {}) =>
    new StartError(text, { ...more, cause });
  if (isBusy(cause)) {
    return say(`This machine cannot start more processes at the moment (${code}).`, { busy: true });
  }
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      // The system reports a missing directory with the same code.
      if (!(await isDirectory(cwd))) return say(`The directory ${cwd} does not exist.`);
      return say(`The program ${program} was not found.`, { missing: true });
    case 'EACCES':
    case 'EPERM':
      return say(
        `The program ${program} is not executable, or the directory ${cwd} is not accessible.`,
      );
    case 'ENOEXEC':
      return say(`${program} is not an executable on this machine.`);
    case 'E2BIG':
      return say('The command is longer than this machine allows.');
    default:
      return say(`The program ${program} could not be started: ${message}`);
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
