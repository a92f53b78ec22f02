import { settings } from './settings.ts';

/** Made from the table of settings, so that it cannot fall behind. */
export function helpText(): string {
  const rows = Object.values(settings).map(({ flag, env, help, default: standard }) => [
    flag ? `--${flag}` : '',
    env,
    `${help} (default: ${standard})`,
  ]);
  return [
    'Usage: baton <command> [flags]',
    '',
    'Commands:',
    ...align([
      ['up', 'start a node: HTTP server, worker and database'],
      ['help', 'show this text'],
      ['version', 'show the version'],
    ]),
    '',
    'Settings of "up" (a flag wins over its variable):',
    ...align(rows),
  ].join('\n');
}

function align(rows: string[][]): string[] {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(width(column))).join('  ')}`.trimEnd(),
  );
}
