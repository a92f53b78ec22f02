import { isBatonError } from '../contract/errors.ts';
import { readArguments } from './args.ts';
import { clientCommands } from './client-commands.ts';
import { type Command, EXIT, type Surroundings } from './command.ts';
import { helpOf, overview } from './help.ts';
import { nearest } from './nearest.ts';
import { nodeCommands } from './node-commands.ts';
import { endWithReader, printLine } from './output.ts';
import type { Screen } from './printer.ts';
import { TerminalFilter } from './terminal-filter.ts';
import { UserError, usageError } from './user-error.ts';
import { packageVersion } from './version.ts';

export const commands: Readonly<Record<string, Command>> = { ...nodeCommands, ...clientCommands };

/** Runs one command and gives the exit code. Mistakes are shown without a stack, bugs with it. */
export async function run(name: string, args: string[], around: Surroundings): Promise<number> {
  try {
    return await dispatch(name, args, around);
  } catch (error) {
    showError(error, process.stderr);
    return error instanceof UserError ? error.exitCode : EXIT.failed;
  }
}

async function dispatch(name: string, args: string[], around: Surroundings): Promise<number> {
  if (['version', '--version', '-v'].includes(name)) return show(packageVersion());
  if (['help', '--help', '-h'].includes(name)) return show(helpText(args));
  const command = find(name);
  if (asksForHelp(args)) return show(helpOf(name, command));
  if ('settings' in command) return command.run(args, around);
  endWithReader();
  return command.run(readArguments(args, command.flags), around);
}

function helpText([name]: string[]): string {
  return name === undefined || name.startsWith('-') ? overview(commands) : helpOf(name, find(name));
}

/** Behind `--` it is text. */
function asksForHelp(args: string[]): boolean {
  const end = args.indexOf('--');
  const before = end === -1 ? args : args.slice(0, end);
  return before.includes('--help') || before.includes('-h');
}

function find(name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command;
  const meant = nearest(name, [...Object.keys(commands), 'help', 'version']);
  throw usageError({
    what: `Unknown command: ${name}.`,
    why: `baton has no such command${meant ? `; the nearest is "${meant}"` : ''}.`,
    todo: `run "baton ${meant ?? 'help'}".`,
  });
}

function show(text: string): number {
  endWithReader();
  printLine(text);
  return EXIT.ok;
}

/** What an error says may come from a server or a file: a terminal is kept from control codes. */
export function showError(error: unknown, screen: Screen): void {
  const text = describe(error);
  screen.write(`${screen.isTTY === true ? new TerminalFilter().push(text) : text}\n`);
}

function describe(error: unknown): string {
  if (error instanceof UserError) return error.message;
  if (isBatonError(error)) return `${error.message}\nError code: ${error.code}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
