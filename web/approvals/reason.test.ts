import { expect, it } from 'vitest';
import { decide } from '../../src/policy/tools/decide.ts';
import { OwnFiles } from '../../src/policy/tools/own-files.ts';
import { LINK_REASONS } from '../../src/sessions/rules/judge-call.ts';
import { judgeAll } from '../../src/sessions/rules/tool-scopes.ts';
import { approvals } from '../texts/en/approvals.ts';
import { common } from '../texts/en/common.ts';
import { whyOf } from './reason.ts';

const why = (reason: string) => whyOf(reason, approvals.why, common.channels);
const empty = { allow: [], ask: [], deny: [] };
const bash = (command: string) => ({ tool: 'Bash', input: { command } });

it('[P1] [C2] every reason of the tool rules is translated', () => {
  const ask = { ...empty, ask: ['Bash(git push)'] };
  expect(why(decide(bash('git push'), { channel: 'web', session: ask }).reason)).toBe(
    approvals.why.byRule('Bash(git push)'),
  );
  expect(why(decide(bash('git push'), { channel: 'web', global: ask }).reason)).toBe(
    approvals.why.byRule('Bash(git push)'),
  );
  expect(why(decide(bash('frob'), { channel: 'web' }).reason)).toBe(approvals.why.unlisted);
  expect(why(decide(bash('frob | tee x'), { channel: 'web', channelRules: empty }).reason)).toBe(
    approvals.why.notPlain,
  );
  const enforced = { ...ask, enforced: ask.ask };
  const through = [{ channel: 'web' as const, rules: enforced }];
  for (const scopes of [{ global: enforced }, { channelRules: enforced }, { through }]) {
    expect(why(decide(bash('git push'), { channel: 'cli', ...scopes }).reason)).toBe(
      approvals.why.enforced('Bash(git push)'),
    );
  }
  const steered = judgeAll(bash('frob'), {}, { channel: 'cli' }, [{ channel: 'line' }], null);
  expect(why(steered.reason)).toBe(
    approvals.why.steered(approvals.why.unlisted, common.channels.line),
  );
  expect(why(`${steered.reason}${LINK_REASONS.linked}"/x"`)).toBe(
    approvals.why.linked(why(steered.reason)!, '"/x"'),
  );
  expect(why(`${steered.reason}${LINK_REASONS.notFollowed}`)).toBe(
    approvals.why.notFollowed(why(steered.reason)!),
  );
  const { unknown } = LINK_REASONS;
  expect(why(`${steered.reason}${unknown}`)).toBe(approvals.why.unknownLink(why(steered.reason)!));
  const both = `${steered.reason}${LINK_REASONS.linked}"/x"`;
  expect(why(`${both}${unknown}`)).toBe(approvals.why.unknownLink(why(both)!));
  const doubt = decide(bash('x=rm; $x -rf /'), {
    channel: 'cli',
    session: { ...empty, deny: ['Bash(rm -rf)'] },
  });
  expect(doubt.decision).toBe('ask');
  expect(why(doubt.reason)).toBe(approvals.why.doubt('Bash(rm -rf)'));
  const own = new OwnFiles({ paths: ['/home/me/.baton'], except: [] });
  expect(why(own.judge(bash('cp -r / x'))!.reason)).toBe(approvals.why.ownFiles);
  const question = decide({ tool: 'AskUserQuestion', input: {} }, { channel: 'cli' });
  expect(why(question.reason)).toBeNull();
});

it('[C2] an unknown reason is shown unchanged', () => {
  expect(why('because')).toBe('because');
});
