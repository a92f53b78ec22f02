import type { Turn } from '../driver.ts';
import type { ArgumentFiles } from './argument-files.ts';
import { OFFERED_TOOLS } from './tools.ts';

/**
 * Makes Claude Code ask us about every tool call (P3); `ask` overrides `allow`, so Claude Code
 * decides no call on its own. Also makes it refuse messages from the same user's other Claude Code
 * processes, which no log would show (X3).
 */
const SETTINGS = JSON.stringify({ permissions: { ask: ['*'] }, crossSessionInbound: 'refuse' });

export type Conversation =
  | { readonly how: 'begin' | 'resume'; readonly id: string }
  /** Starts with a copy of `source`, which is an id or the path of a transcript. */
  | {
      readonly how: 'fork';
      readonly id: string;
      readonly source: string;
      readonly head: string | null;
    };

/** The prompt is not an argument: it goes through stdin, because it may be a megabyte long. */
export function commandLine(
  program: string,
  turn: Turn,
  conversation: Conversation,
  files: Pick<ArgumentFiles, 'mcpConfig' | 'systemPrompt'> = {},
): string[] {
  const { agent, limits = {} } = turn;
  const option = (name: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [name, String(value)];
  return [
    program,
    '--print',
    ...['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
    '--include-partial-messages',
    // Makes Claude Code confirm each of our messages once it has read it.
    ...(turn.steer === undefined ? [] : ['--replay-user-messages']),
    ...['--permission-prompt-tool', 'stdio', '--settings', SETTINGS],
    ...['--tools', OFFERED_TOOLS.join(',')],
    // A repository's hooks, settings and MCP servers run its author's code (A12).
    ...(turn.trusted === true ? [] : ['--setting-sources', '', '--strict-mcp-config']),
    ...idOptions(conversation),
    ...option('--model', agent.model),
    ...option('--fallback-model', agent.fallbackModel),
    ...option('--max-turns', limits.turns),
    ...option('--max-budget-usd', limits.budgetUsd),
    ...option('--append-system-prompt-file', files.systemPrompt),
    ...option('--mcp-config', files.mcpConfig),
  ];
}

function idOptions(conversation: Conversation): string[] {
  const { how, id } = conversation;
  if (how !== 'fork') return [how === 'resume' ? '--resume' : '--session-id', id];
  const { source, head } = conversation;
  const until = head === null ? [] : ['--resume-session-at', head];
  return ['--resume', source, '--fork-session', ...until, '--session-id', id];
}

export const environment = (retries: number): Record<string, string> => ({
  // The default of ten retries takes three minutes, even with a wrong key, and Baton's queue
  // retries anyway.
  CLAUDE_CODE_MAX_RETRIES: String(retries),
  // Otherwise `@path` in a message shows the model any file without asking (P3).
  CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
  // Otherwise an approved `cd` would also affect later commands, which are judged as if run in the
  // workspace (P1).
  CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: '1',
  // Otherwise prompts in a repository's `.claude/scheduled_tasks.json` reach the model as if the user
  // had written them, whether or not the repository is trusted (A12).
  CLAUDE_CODE_DISABLE_CRON: '1',
  // Otherwise notes that one agent writes reach every later conversation in a directory of this
  // path, whoever owns it, without a trace in any log.
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  CLAUDE_CODE_DISABLE_WORKFLOWS: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
});
