import { expect } from 'vitest';
import { RULES_MAX, type ToolRules } from '../../contract/policy.ts';
import { refused } from '../../queue/conformance/rig.ts';
import type { RuleScope } from '../approvals/approval-store.ts';
import { ALLOW, asking, question } from './approvals.ts';
import type { SessionRule } from './rig.ts';

const rules = (given: Partial<ToolRules> = {}): ToolRules => ({
  allow: [],
  ask: [],
  deny: [],
  ...given,
});
const REMEMBER = { ...ALLOW, scope: 'session' } as const;

export function toolRules(rule: SessionRule): void {
  rule('[P1] every scope has its own rules, replaced as a whole', async (rig) => {
    const { store } = rig;
    const sessionId = await rig.session();
    const other = await rig.session();
    const scopes: RuleScope[] = [
      { scope: 'global' },
      { scope: 'channel', channel: 'line' },
      { scope: 'channel', channel: 'web' },
      { scope: 'session', sessionId },
      { scope: 'session', sessionId: other },
    ];
    for (const scope of scopes) expect(await store.readRules(scope)).toBeNull();
    for (const [i, scope] of scopes.entries()) {
      const put = rules({ allow: [`Tool${i}`], deny: ['Bash(日本 "x")'] });
      expect(await store.putRules(scope, put)).toEqual(put);
    }
    await rig.restart();
    for (const [i, scope] of scopes.entries()) {
      expect(await rig.store.readRules(scope)).toMatchObject({ allow: [`Tool${i}`] });
    }
    await rig.store.putRules(scopes[0]!, rules({ ask: ['Read'] }));
    expect(await rig.store.readRules(scopes[0]!)).toEqual(rules({ ask: ['Read'] }));
    const nowhere = rig.store.putRules({ scope: 'session', sessionId: 'nothing' }, rules());
    await expect(nowhere).rejects.toEqual(refused('not_found'));
  });

  rule('[P1] all rules for a session are read at once', async (rig) => {
    const { store } = rig;
    const agent = { kind: 'claude', model: 'm' } as const;
    const sessionId = await rig.session('ACTIVE', { agent });
    const nothing = { session: null, channels: {}, global: null };
    expect(await store.rulesFor(sessionId)).toEqual({ agent, workspacePath: '/w', ...nothing });
    expect(await store.sharedRules()).toEqual(nothing);
    const line = { ...rules({ deny: ['L', 'M'] }), enforced: ['M'] };
    const global = { ...rules({ ask: ['G'] }), enforced: ['G'] };
    await store.putRules({ scope: 'session', sessionId }, rules({ allow: ['S'] }));
    await store.putRules({ scope: 'channel', channel: 'line' }, line);
    await store.putRules({ scope: 'channel', channel: 'cli' }, rules({ allow: ['C'] }));
    await store.putRules({ scope: 'global' }, global);
    const channels = { line, cli: rules({ allow: ['C'] }) };
    expect(await store.rulesFor(sessionId)).toMatchObject({
      session: { allow: ['S'] },
      channels,
      global,
    });
    expect(await store.sharedRules()).toEqual({ session: null, channels, global });
    const other = await rig.session();
    expect(await store.rulesFor(other)).toMatchObject({
      agent: { kind: 'shell' },
      session: null,
      channels,
      global,
    });
    expect(await store.rulesFor('nothing')).toBeNull();
  });

  rule('[A7] an answer for the session adds its rule once', async (rig) => {
    const { claimed, asked } = await asking(rig);
    const scope = { scope: 'session', sessionId: claimed.run.lane } as const;
    await rig.store.putRules(scope, rules({ deny: ['Write'] }));
    await rig.store.decideApproval(asked.id, { ...REMEMBER, rule: 'Bash(git push)' });
    const again = (await rig.store.openApproval(question(claimed, { digest: 'd2' })))!;
    await rig.store.decideApproval(again.id, { ...REMEMBER, rule: 'Bash(git push)' });
    const third = (await rig.store.openApproval(question(claimed, { digest: 'd3' })))!;
    await rig.store.decideApproval(third.id, { ...REMEMBER, rule: 'Read' });
    const allow = ['Bash(git push)', 'Read'];
    expect(await rig.store.readRules(scope)).toEqual(rules({ allow, deny: ['Write'] }));
  });

  rule('[A7] if there is no room for another rule, the answer is refused', async (rig) => {
    const { claimed, asked } = await asking(rig);
    const scope = { scope: 'session', sessionId: claimed.run.lane } as const;
    const allow = Array.from({ length: RULES_MAX }, (_, i) => `Tool${i}`);
    await rig.store.putRules(scope, rules({ allow }));
    const more = rig.store.decideApproval(asked.id, { ...REMEMBER, rule: 'Read' });
    await expect(more).rejects.toEqual(refused('invalid_request'));
    expect((await rig.store.getApproval(asked.id))?.state).toBe('pending');
    await rig.store.decideApproval(asked.id, { ...REMEMBER, rule: 'Tool7' });
    expect(await rig.store.readRules(scope)).toEqual(rules({ allow }));
  });
}
