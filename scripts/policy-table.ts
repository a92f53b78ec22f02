import { CHANNEL_DEFAULTS, UNLISTED } from '../src/policy/tools/channel-defaults.ts';
import { READ_ONLY } from '../src/policy/tools/read-only-commands.ts';
import { SAFE } from '../src/policy/tools/safe-commands.ts';
import type { SetEntry } from '../src/policy/tools/set-entry.ts';
import { TOOLS, type ToolKind, UNREPEATABLE } from '../src/policy/tools/tool-table.ts';

/** The page with its tables regenerated; the rest is written by hand. */
export function withPolicyTables(page: string): string {
  return Object.entries({ channels, sets, kinds }).reduce((text, [name, table]) => {
    const begin = `<!-- ${name}: made by \`npm run docs\` -->\n`;
    const [from, to] = [
      text.indexOf(begin) + begin.length,
      text.indexOf(`<!-- end of ${name} -->`),
    ];
    return `${text.slice(0, from)}\n${table()}\n${text.slice(to)}`;
  }, page);
}

const code = (all: readonly string[]): string =>
  all.length === 0 ? '–' : all.map((one) => `\`${one}\``).join(', ');

function channels(): string {
  const rows = Object.entries(CHANNEL_DEFAULTS).map(
    ([channel, { allow, deny }]) =>
      `| \`${channel}\` | ${code(allow)} | ${code(deny)} | \`${UNLISTED[channel as keyof typeof UNLISTED]}\` |`,
  );
  return `| channel | allow | deny | anything not listed |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

/** Shows `-n=` as `-n`. */
const bare = (option: string): string => option.replace(/=$/, '');

function sets(): string {
  const limits = ({ only, operands, never, neverFirst }: SetEntry): string =>
    [
      only && (only.size > 0 ? `allowed options: ${code([...only].map(bare))}` : 'no options'),
      operands === 'inside' && 'arguments must be paths inside the workspace',
      Array.isArray(operands) &&
        (operands.length > 0 ? `allowed arguments: ${code(operands)}` : 'no other arguments'),
      never && `no argument may contain ${code(never)}`,
      neverFirst && `no argument may begin with ${code(neverFirst)}`,
    ]
      .filter((limit) => typeof limit === 'string')
      .join('; ');
  const rows = (set: string, entries: readonly SetEntry[]): string[] =>
    [...Map.groupBy(entries, limits)].map(
      ([limit, some]) => `| \`${set}\` | ${code(some.map(({ words }) => words))} | ${limit} |`,
    );
  const all = [...rows('read-only', READ_ONLY), ...rows('safe', SAFE)];
  return `| set | commands | limits |\n|---|---|---|\n${all.join('\n')}\n`;
}

function kinds(): string {
  const of = (kind: ToolKind): string =>
    code(
      [...TOOLS]
        .filter(([, tool]) => tool.kind === kind && tool.subject !== 'command')
        .map(([name]) => name),
    );
  return `| kind | tools | commands |
|---|---|---|
| reading | ${of('reading')} | those in \`Bash(read-only)\` |
| writing | ${of('writing')} | all other commands, and all commands that are not plain |
| not repeatable | every tool that is not listed here, including those of MCP servers | ${code(UNREPEATABLE)} |
`;
}
