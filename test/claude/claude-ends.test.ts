import { describe, expect, test } from 'vitest';
import type { StepInput } from '../model-server/script.ts';
import { claudeRig, failure } from './claude-rig.ts';

const bash = (command: string) => ({ name: 'Bash', input: { command, description: 'a test' } });

describe('[A4] how a turn of Claude Code ends', () => {
  test('[Q15] each status of the API has its class', async () => {
    const rig = await claudeRig();
    const statuses: [number, string, unknown][] = [
      [400, 'invalid_request', 'API Error: 400 scripted 400'],
      [401, 'auth_failed', expect.stringMatching(/401.*ANTHROPIC_API_KEY/)],
      [404, 'invalid_request', expect.stringContaining('model')],
      [429, 'overloaded', expect.stringContaining('429')],
      [500, 'overloaded', expect.stringContaining('500')],
      [529, 'overloaded', expect.stringContaining('529')],
    ];
    for (const [status, errorClass, message] of statuses) {
      const { outcome, messages, end } = await rig.run({ steps: [{ status }] });
      expect(outcome, `HTTP ${status}`).toEqual(failure(errorClass, message));
      expect([messages, end.exitCode]).toEqual([[], 1]);
    }
  });

  test('[Q15] a connection that is refused, or an answer that breaks off, is reported', async () => {
    const rig = await claudeRig();
    const refused = await rig.run({}, { env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' } });
    expect(refused.outcome).toEqual(failure('network_error'));
    const broken: [StepInput, string][] = [
      [{ drop: 'at once' }, 'network_error'],
      [{ drop: 'in text' }, 'network_error'],
      [{ error: 'overloaded_error' }, 'overloaded'],
    ];
    for (const [step, errorClass] of broken) {
      const { outcome } = await rig.run({ steps: [step] });
      expect(outcome, JSON.stringify(step)).toEqual(failure(errorClass));
    }
  });

  test('an error in mid-stream that does not recur is no failure', async () => {
    const rig = await claudeRig();
    const steps = [{ error: 'overloaded_error', times: 1 }, { text: 'fine' }];
    expect(await rig.run({ steps })).toMatchObject({
      outcome: { kind: 'succeeded' },
      messages: ['fine'],
    });
  });

  test('retries are reported', async () => {
    const rig = await claudeRig();
    const steps = [{ status: 529, times: 1 }, { text: 'fine' }];
    const talk = await rig.run({ steps }, { retries: 1 });
    expect(talk.outcome.kind).toBe('succeeded');
    expect(talk.notices).toEqual([expect.stringMatching(/retry 1 of 1/)]);
  });

  test('reaching the turn limit is reported as turn_limit', async () => {
    const rig = await claudeRig();
    const steps = [{ tools: [bash('true')] }, { tools: [bash('true')] }, { text: 'never' }];
    const talk = await rig.run({ steps, limits: { turns: 1 } });
    expect(talk.outcome).toEqual(failure('turn_limit', expect.stringContaining('turns')));
    expect(talk.end.usage?.inputTokens).toBe(10);
  });

  test('[A6] an exhausted budget is reported as budget_reached, with the cost counted', async () => {
    const rig = await claudeRig();
    const steps = [
      { tools: [bash('true')], usage: { input_tokens: 1_000_000 } },
      { text: 'never' },
    ];
    const talk = await rig.run({ steps, limits: { budgetUsd: 0.01 } });
    expect(talk.outcome).toEqual(failure('budget_reached', expect.stringContaining('$0.01')));
    expect(talk.end.usage?.costUsd).toBeGreaterThan(0.01);
  });
});
