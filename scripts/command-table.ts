import { clientCommands } from '../src/cli/client-commands.ts';
import type { Command, CommandGroup } from '../src/cli/command.ts';
import { nodeCommands } from '../src/cli/node-commands.ts';

const BEGIN = '<!-- commands: made by `npm run docs` -->\n';
const END = '<!-- end of commands -->';

/** The page with its table of commands regenerated; the rest is written by hand. */
export function withCommands(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  return `${page.slice(0, begin)}${commands()}${page.slice(end)}`;
}

function commands(): string {
  const rows = Object.entries({ ...nodeCommands, ...clientCommands }).flatMap(([name, command]) =>
    rowsOf(name, command),
  );
  return `\n| command | what it does |\n|---|---|\n${rows.join('\n')}\n\n`;
}

function rowsOf(name: string, command: Command | CommandGroup): string[] {
  if ('commands' in command) {
    return Object.entries(command.commands).flatMap(([word, each]) =>
      rowsOf(`${name} ${word}`, each),
    );
  }
  const usage = `baton ${name} ${command.usage.replace(/^\[(flags|settings)\] ?/, '')}`.trimEnd();
  return [`| \`${usage.replaceAll('|', '\\|')}\` | ${command.summary} |`];
}
