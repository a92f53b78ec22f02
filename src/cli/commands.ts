import { isBatonError } from '../contract/errors.ts';
import { helpText } from './help.ts';
import { nearest } from './nearest.ts';
import { UserError, usageError } from './user-error.ts';
import { packageVersion } from './version.ts';

type Command = (args: string[], stop: AbortSignal) => Promise<void> | void;

const help: Command = () => print(helpText());
const version: Command = () => print(packageVersion());

const commands: Record<string, Command> = {
  // Imported when needed, so that the short commands stay fast.
  up: async (args, stop) => (await import('./up.ts')).up(args, stop),
  help,
  '--help': help,
  '-h': help,
  version,
  '--version': version,
  '-v': version,
};

/** Runs one command and gives the exit code. Mistakes are shown without a stack, bugs with it. */
export async function run(name: string, args: string[], stop: AbortSignal): Promise<number> {
  try {
    const command = commands[name];
    if (!command) throw unknownCommand(name);
    if (args.includes('--help') || args.includes('-h')) await help(args, stop);
    else await command(args, stop);
    return 0;
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    return error instanceof UserError ? error.exitCode : 1;
  }
}

function describe(error: unknown): string {
  if (error instanceof UserError) return error.message;
  if (isBatonError(error)) return `${error.message}\nError code: ${error.code}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function unknownCommand(name: string): UserError {
  const meant = nearest(
    name,
    Object.keys(commands).filter((each) => !each.startsWith('-')),
  );
  return usageError({
    what: `Unknown command: ${name}.`,
    why: `baton has no such command${meant ? `; the nearest is "${meant}"` : ''}.`,
    todo: `run "baton ${meant ?? 'help'}".`,
  });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
