import { settings } from '../config/settings.ts';
import type { Command, CommandGroup } from './command.ts';
import type { Flags } from './input/args.ts';

type Commands = Readonly<Record<string, Command | CommandGroup>>;

/** Help is generated from the tables of commands and settings, so it is never out of date. */
export function overview(commands: Commands): string {
  return [
    'Usage: baton <command> [flags]',
    '',
    'Commands:',
    ...align([
      ...Object.entries(commands).map(([name, { summary }]) => [name, summary]),
      ['help', 'show this help, or help for a command: baton help <command>'],
      ['version', 'show the version'],
    ]),
    '',
    'To get started, run "baton up", then: baton run --agent shell "echo hello"',
  ].join('\n');
}

export function helpOf(name: string, command: Command): string {
  const flags = flagRows(command.flags);
  return [
    `Usage: baton ${name} ${command.usage}`.trimEnd(),
    '',
    `${capital(command.summary)}.`,
    ...(command.about ?? []),
    ...(flags.length === 0 ? [] : ['', 'Flags:', ...align(flags)]),
    ...('settings' in command
      ? ['', 'Settings (a flag overrides its environment variable):', ...align(settingRows())]
      : []),
  ].join('\n');
}

export function helpOfGroup(name: string, { summary, about, commands }: CommandGroup): string {
  return [
    `Usage: baton ${name} <command> [flags]`,
    '',
    `${capital(summary)}.`,
    ...(about ?? []),
    '',
    'Commands:',
    ...align(
      Object.entries(commands).map(([word, command]) => [
        `${word} ${command.usage.replace(/^\[flags\] ?/, '')}`.trimEnd(),
        command.summary,
      ]),
    ),
    '',
    `Run "baton ${name} <command> --help" for the flags of a command.`,
  ].join('\n');
}

function flagRows(flags: Flags): string[][] {
  return Object.entries(flags).map(([name, flag]) => {
    const short = flag.short === undefined ? '' : `-${flag.short}, `;
    return [`${short}--${name}${'value' in flag ? ` ${flag.value}` : ''}`, flag.help];
  });
}

function settingRows(): string[][] {
  return Object.values(settings).map(({ flag, env, help, default: standard }) => [
    flag ? `--${flag}` : '',
    env,
    `${help} (default: ${standard})`,
  ]);
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function align(rows: string[][]): string[] {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(width(column))).join('  ')}`.trimEnd(),
  );
}
