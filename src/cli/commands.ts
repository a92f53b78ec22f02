import { nearest } from '../config/nearest.ts';
import { UserError, usageError } from '../config/user-error.ts';
import { packageVersion } from '../config/version.ts';
import { isBatonError } from '../contract/errors.ts';
import { clientCommands } from './client-commands.ts';
import { type Command, type CommandGroup, EXIT, type Surroundings } from './command.ts';
import { helpOf, helpOfGroup, overview } from './help.ts';
import { readArguments } from './input/args.ts';
import { nodeCommands } from './node-commands.ts';
import { endWithReader, printLine } from './output/output.ts';
import type { Screen } from './output/printer.ts';
import { plainText } from './output/terminal-filter.ts';

type Commands = Readonly<Record<string, Command | CommandGroup>>;
export const commands: Commands = { ...nodeCommands, ...clientCommands };

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
  const found = find(name, args);
  if (asksForHelp(found.args)) return show(helpFor(found));
  const { command } = found;
  if ('commands' in command) throw missingWord(found.name, command);
  if ('settings' in command) return command.run(found.args, around);
  endWithReader();
  return command.run(readArguments(found.args, command.flags), around);
}

function helpText([name, ...rest]: string[]): string {
  if (name === undefined || name.startsWith('-')) return overview(commands);
  return helpFor(find(name, rest));
}

const helpFor = ({ name, command }: Found): string =>
  'commands' in command ? helpOfGroup(name, command) : helpOf(name, command);

/** Behind `--` it is text. */
function asksForHelp(args: string[]): boolean {
  const end = args.indexOf('--');
  const before = end === -1 ? args : args.slice(0, end);
  return before.includes('--help') || before.includes('-h');
}

interface Found {
  /** As it was written, such as `token create`. */
  readonly name: string;
  readonly command: Command | CommandGroup;
  /** What stands behind it. */
  readonly args: string[];
}

function find(name: string, args: string[]): Found {
  const command = pick(commands, name, '', ['help', 'version']);
  const [word] = args;
  if (!('commands' in command) || word === undefined || word.startsWith('-')) {
    return { name, command, args };
  }
  const inner = pick(command.commands, word, `${name} `);
  return { name: `${name} ${word}`, command: inner, args: args.slice(1) };
}

function pick<C>(
  among: Readonly<Record<string, C>>,
  word: string,
  before: string,
  others: readonly string[] = [],
): C {
  const command = Object.hasOwn(among, word) ? among[word] : undefined;
  if (command !== undefined) return command;
  const meant = nearest(word, [...Object.keys(among), ...others]);
  throw usageError({
    what: `Unknown command: ${before}${word}.`,
    why: `baton has no such command${meant ? `; the nearest is "${before}${meant}"` : ''}.`,
    todo: `run "baton ${meant ? `${before}${meant}` : `help ${before}`.trimEnd()}".`,
  });
}

function missingWord(name: string, { commands: inner }: CommandGroup): UserError {
  const words = Object.keys(inner);
  return usageError({
    what: `"baton ${name}" needs another word.`,
    why: `it takes ${words.slice(0, -1).join(', ')} or ${words.at(-1)}.`,
    todo: `run "baton ${name} ${words[0]}"; "baton help ${name}" shows them all.`,
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
  screen.write(`${screen.isTTY === true ? plainText(text) : text}\n`);
}

function describe(error: unknown): string {
  if (error instanceof UserError) return error.message;
  if (isBatonError(error)) return `${error.message}\nError code: ${error.code}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
