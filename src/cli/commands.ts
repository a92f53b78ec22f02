import { nearest } from '../config/nearest.ts';
import { UserError, usageError } from '../config/user-error.ts';
import { packageVersion } from '../config/version.ts';
import { isBatonError } from '../contract/errors.ts';
import { clientCommands } from './client-commands.ts';
import { type Command, type CommandContext, type CommandGroup, EXIT } from './command.ts';
import { helpOf, helpOfGroup, overview } from './help.ts';
import { readArguments } from './input/args.ts';
import { nodeCommands } from './node-commands.ts';
import { endWithReader, printLine } from './output/output.ts';
import type { Screen } from './output/printer.ts';
import { plainText } from './output/terminal-filter.ts';

type Commands = Readonly<Record<string, Command | CommandGroup>>;
export const commands: Commands = { ...nodeCommands, ...clientCommands };

/** Runs one command and returns its exit code. User errors are shown without a stack, bugs with one. */
export async function run(name: string, args: string[], context: CommandContext): Promise<number> {
  try {
    return await dispatch(name, args, context);
  } catch (error) {
    showError(error, process.stderr);
    return error instanceof UserError ? error.exitCode : EXIT.failed;
  }
}

async function dispatch(name: string, args: string[], context: CommandContext): Promise<number> {
  if (['version', '--version', '-v'].includes(name)) return show(packageVersion());
  if (['help', '--help', '-h'].includes(name)) return show(helpText(args));
  const match = find(name, args);
  if (asksForHelp(match.args)) return show(helpFor(match));
  const { command } = match;
  if ('commands' in command) throw missingSubcommand(match.name, command);
  if ('settings' in command) return command.run(match.args, context);
  endWithReader();
  return command.run(readArguments(match.args, command.flags), context);
}

function helpText([name, ...rest]: string[]): string {
  if (name === undefined || name.startsWith('-')) return overview(commands);
  return helpFor(find(name, rest));
}

const helpFor = ({ name, command }: Match): string =>
  'commands' in command ? helpOfGroup(name, command) : helpOf(name, command);

/** Arguments after `--` are text, not flags. */
function asksForHelp(args: string[]): boolean {
  const end = args.indexOf('--');
  const before = end === -1 ? args : args.slice(0, end);
  return before.includes('--help') || before.includes('-h');
}

interface Match {
  /** As typed, such as `token create`. */
  readonly name: string;
  readonly command: Command | CommandGroup;
  /** The arguments after the name. */
  readonly args: string[];
}

function find(name: string, args: string[]): Match {
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
  const closest = nearest(word, [...Object.keys(among), ...others]);
  throw usageError({
    what: `Unknown command: ${before}${word}.`,
    why: `baton has no such command${closest ? `; the closest is "${before}${closest}"` : ''}.`,
    todo: `run "baton ${closest ? `${before}${closest}` : `help ${before}`.trimEnd()}".`,
  });
}

function missingSubcommand(name: string, { commands: inner }: CommandGroup): UserError {
  const words = Object.keys(inner);
  return usageError({
    what: `"baton ${name}" needs a subcommand.`,
    why: `its subcommands are ${words.slice(0, -1).join(', ')} and ${words.at(-1)}.`,
    todo: `run "baton help ${name}" to see what each of them does.`,
  });
}

function show(text: string): number {
  endWithReader();
  printLine(text);
  return EXIT.ok;
}

/** An error may quote a server or a file, so control codes are removed for a terminal. */
export function showError(error: unknown, screen: Screen): void {
  const text = `error: ${describe(error)}`;
  screen.write(`${screen.isTTY === true ? plainText(text) : text}\n`);
}

function describe(error: unknown): string {
  if (error instanceof UserError) return error.message;
  if (isBatonError(error)) return `${error.message}\nError code: ${error.code}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
