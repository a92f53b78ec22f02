import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../../test/support/processes.ts';
import { claudeDriver } from '../../claude/driver.ts';
import { OLDEST_VERSION } from '../../claude/version.ts';
import type { ToolAnswer } from '../../driver.ts';
import { type Agent, type DriverSubject, type Ending, print, script } from '../subject.ts';

const line = (value: object): string => `${JSON.stringify(value)}\n`;
const content = (...blocks: object[]) => ({ message: { content: blocks } });

const BEGUN = line({
  type: 'system',
  subtype: 'init',
  session_id: 'c0ffee00-0000-4000-8000-000000000000',
  claude_code_version: OLDEST_VERSION,
});
const result = (fields: object): string =>
  line({ type: 'result', subtype: 'success', is_error: false, result: 'done', ...fields });
const INTERRUPTED = result({ subtype: 'error_during_execution', is_error: true });

const at = (program: string): Agent => ({
  driver: claudeDriver({ program }),
  turn: { agent: { kind: 'claude' }, message: 'message' },
});

/** Recorded output of the real Claude Code, played back by a program. */
const recorded = (name: string, outcome: string): Ending => ({
  title: `recorded: ${name}`,
  script: `cat '${join(root, 'test/fixtures/claude-transcripts/2.1.325', name)}.jsonl'`,
  outcome,
});

export const claudeSubject: DriverSubject = {
  name: 'claude',
  scripted: (commands, folder) => {
    const program = join(folder, 'claude');
    writeFileSync(program, `#!/bin/sh\n${commands}\n`);
    chmodSync(program, 0o755);
    return at(program);
  },
  at,
  words: {
    begun: BEGUN,
    said: (text) => line({ type: 'assistant', ...content({ type: 'text', text }) }),
    succeeded: result({}),
    spent: (costUSD) => result({ modelUsage: { 'claude-opus-4-5': { inputTokens: 1, costUSD } } }),
    asks: ({ id, tool, input }) =>
      line({
        type: 'control_request',
        request_id: `question-${id}`,
        request: { subtype: 'can_use_tool', tool_name: tool, input, tool_use_id: id },
      }),
    called: ({ id }) =>
      line({
        type: 'user',
        ...content({ type: 'tool_result', tool_use_id: id, content: 'called' }),
      }),
    withdraws: ({ id }) => line({ type: 'control_cancel_request', request_id: `question-${id}` }),
  },
  does: {
    takesMessage: 'read -r given',
    worksUntilInterrupted: script('read -r interrupt', print(INTERRUPTED)),
    hears: script(
      'read -r heard',
      `uuid=$(printf '%s' "$heard" | sed 's/.*"uuid":"\\([^"]*\\)".*/\\1/')`,
      `printf '{"type":"command_lifecycle","state":"started","command_uuid":"%s"}\\n' "$uuid"`,
    ),
  },
  endings: [
    { title: 'it says nothing', script: 'true', outcome: 'agent_crash' },
    { title: 'its exit code is 3', script: 'exit 3', outcome: 'agent_crash' },
    { title: 'its shell found no program', script: 'exit 127', outcome: 'agent_unavailable' },
    { title: 'it exits before its result', script: print(BEGUN), outcome: 'agent_crash' },
    {
      title: 'its result is no error, its exit code is',
      script: script(print(BEGUN + result({})), 'exit 1'),
      outcome: 'succeeded',
    },
    {
      title: 'its result is an error, its exit code is not',
      script: print(BEGUN + result({ is_error: true, api_error_status: 400 })),
      outcome: 'invalid_request',
    },
    recorded('text', 'succeeded'),
    recorded('tools', 'succeeded'),
    recorded('turn-limit', 'turn_limit'),
    recorded('budget', 'budget_reached'),
    recorded('http-401', 'auth_failed'),
    recorded('http-529', 'overloaded'),
    recorded('refused', 'network_error'),
    recorded('lost', 'conversation_lost'),
    recorded('signed-out', 'auth_failed'),
    recorded('usage-limit', 'parked'),
    recorded('interrupted', 'agent_crash'),
  ],
  answerIn: (text) => {
    const { response } = JSON.parse(text).response;
    return response.behavior === 'allow'
      ? { behavior: 'allow', input: response.updatedInput }
      : (response as ToolAnswer);
  },
  messageIn: (text) => JSON.parse(text).message.content,
  lacks: {},
};
