import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { scripted } from '../model-server/script.ts';
import { claudeRig } from './claude-rig.ts';

const bash = (command: string) => ({ name: 'Bash', input: { command, description: 'a test' } });

describe('text and tool calls of Claude Code', () => {
  test('[A1] [E5] text comes in pieces, then as a whole, with its cost', async () => {
    const rig = await claudeRig();
    const steps = [{ thinking: 'Let me see.', text: 'こんにちは、世界 🌏!', piece: 2, bytes: 7 }];
    const talk = await rig.run({ steps });
    expect(talk.deltas.join('')).toBe('こんにちは、世界 🌏!');
    expect(talk.deltas.length).toBeGreaterThan(3);
    expect(talk.messages).toEqual(['こんにちは、世界 🌏!']);
    expect(talk.payloads('agent.thinking')).toEqual([{ text: 'Let me see.' }]);
    expect(talk.outcome).toEqual({
      kind: 'succeeded',
      result: { text: 'こんにちは、世界 🌏!', turns: 1 },
    });
    expect(talk.end).toMatchObject({
      lastMessage: 'こんにちは、世界 🌏!',
      exitCode: 0,
      signal: null,
    });
    expect(talk.end.usage).toMatchObject({ inputTokens: 10, outputTokens: 5, source: 'claude' });
    expect(talk.end.usage?.costUsd).toBeGreaterThan(0);
    expect(talk.notices).toEqual([]);
    expect(talk.conversation).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('[P3] [Q16] every tool call is emitted, asked about, and its result emitted', async () => {
    const rig = await claudeRig();
    const talk = await rig.run({
      steps: [
        {
          text: 'Looking.',
          tools: [bash('ls -la'), { name: 'Read', input: { file_path: '/etc/hostname' } }],
        },
        { text: 'Done.', results: [{ includes: 'total' }, {}] },
      ],
    });
    expect(talk.outcome.kind).toBe('succeeded');
    expect(talk.asked.map(({ tool }) => tool).sort()).toEqual(['Bash', 'Read']);
    expect(talk.payloads('agent.tool_use')).toMatchObject([
      { tool: 'Bash', input: { command: 'ls -la' } },
      { tool: 'Read' },
    ]);
    expect(
      talk
        .payloads('agent.tool_result')
        .map(({ tool, ok }) => [tool, ok])
        .sort(),
    ).toEqual([
      ['Bash', true],
      ['Read', true],
    ]);
    expect(talk.notices).toEqual([]);
    expect(talk.messages).toEqual(['Looking.', 'Done.']);
  });

  test('[P1] a command begins in the workspace, wherever the previous one changed to', async () => {
    const rig = await claudeRig();
    const talk = await rig.run({
      steps: [
        { tools: [bash('mkdir sub && cd sub && pwd')] },
        { tools: [bash('touch here')], results: [{ includes: '/sub' }] },
        { text: 'Done.' },
      ],
    });
    expect(talk.outcome.kind).toBe('succeeded');
    expect(readdirSync(rig.cwd).sort()).toEqual(['here', 'sub']);
  });

  test('[A7] a denied call is not executed, nor one that could not be asked about', async () => {
    const rig = await claudeRig();
    const talk = await rig.run({
      steps: [
        { tools: [bash('touch made'), bash('touch made-too')] },
        {
          text: 'Then not.',
          results: [
            { error: true, includes: 'not on my watch' },
            { error: true, includes: 'the store is down' },
          ],
        },
      ],
      permit: async ({ input }) => {
        if (JSON.stringify(input).includes('too')) throw new Error('the store is down');
        return { behavior: 'deny', message: 'not on my watch' };
      },
    });
    expect(talk.outcome.kind).toBe('succeeded');
    expect(talk.payloads('agent.tool_result')).toMatchObject([{ ok: false }, { ok: false }]);
    expect(readdirSync(rig.cwd)).toEqual([]);
  });

  test('[A9] an agent in the background is waited for, a command in the background is not', async () => {
    const rig = await claudeRig();
    const prompt = scripted([{ tools: [bash('echo inside')] }, { text: 'found', hold: 'inside' }]);
    const background = { run_in_background: true };
    const agent = { subagent_type: 'general-purpose', description: 'a test', prompt };
    const command = { command: 'sleep 1000', description: 'a test' };
    const talk = rig.start({
      steps: [
        {
          tools: [
            { name: 'Task', input: { ...agent, ...background } },
            { name: 'Bash', input: { ...command, ...background } },
          ],
        },
        { text: 'Waiting.' },
        { text: 'It found it.' },
      ],
    });
    await rig.model.arrived('inside');
    await talk.until(({ messages }) => messages.includes('Waiting.'));
    rig.model.release('inside');
    const { outcome } = await talk.ended();
    expect(outcome).toMatchObject({ kind: 'succeeded', result: { text: 'It found it.' } });
    expect(talk.messages).toEqual(['Waiting.', 'It found it.']);
    expect(talk.asked.map(({ tool }) => tool).sort()).toEqual(['Agent', 'Bash', 'Bash']);
    const [task] = talk.payloads('agent.tool_use').filter(({ tool }) => tool === 'Task');
    expect(talk.payloads('agent.tool_use')).toContainEqual(
      expect.objectContaining({ input: bash('echo inside').input, parent: task?.['id'] }),
    );
    expect(talk.notices).toEqual([]);
  });
});
