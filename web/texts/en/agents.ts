import type { DrivenKind } from '../../../src/contract/agent-kinds.ts';

interface AgentTexts {
  readonly name: string;
  readonly about: string;
  /** For an agent whose model can be chosen. */
  readonly modelHelp?: string;
  /** For an agent that needs a login. */
  readonly signIn?: string;
}

/** Everything the pages say about a single kind of agent. */
export const agents: Record<DrivenKind, AgentTexts> = {
  claude: {
    name: 'Claude Code',
    about: 'Edits files and runs commands, and asks for approval where your rules require it.',
    modelHelp: 'e.g. opus or sonnet. Leave empty for Claude Code’s default.',
    signIn:
      'On the server, run “claude” as the user Baton runs as and sign in, or restart Baton with ANTHROPIC_API_KEY set.',
  },
  shell: {
    name: 'Shell',
    about: 'Runs your message as a command. No account needed.',
  },
};
