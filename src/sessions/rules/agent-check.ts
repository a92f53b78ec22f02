import type { Standing } from '../../contract/message.ts';
import type { Verdict } from '../../contract/policy.ts';
import type { AgentSpec } from '../../contract/session.ts';
import type { ToolCall } from '../../policy/tools/call.ts';
import { strictest } from '../../policy/tools/decide.ts';
import type { OwnFiles } from '../../policy/tools/own-files.ts';
import type { Location } from '../../policy/tools/path-match.ts';
import { startedBy } from '../../policy/tools/started-by.ts';
import type { RulesInForce } from '../approvals/approval-store.ts';
import { refusal } from './command-check.ts';
import { judgeAsWritten } from './judge-call.ts';

/** A part of an agent's configuration that the rules refuse. */
export interface RefusedStart {
  /** Such as `agent.command`. */
  readonly field: string;
  readonly call: ToolCall;
  readonly verdict: Verdict;
}

/**
 * The first program or server that Baton must not start for the agent, because the rules deny it to
 * the person who configured the agent, or because it uses Baton's own files; null if everything may
 * start (P1, P7). Checked when the agent is configured and at every start.
 */
export function refusedStart(
  agent: AgentSpec,
  location: Location,
  by: Standing,
  rules: RulesInForce,
  ownFiles: OwnFiles,
): RefusedStart | null {
  for (const { field, calls } of startedBy(agent)) {
    if (calls === null) return { field, call: { tool: 'Bash' }, verdict: NOT_UNDERSTOOD };
    const judged = calls.map((call) => ({
      call,
      verdict: judgeAsWritten(call, location, by, rules, ownFiles),
    }));
    const worst = strictest(judged.map(({ verdict }) => verdict));
    const verdict = refusal(worst, by.channel);
    const { call } = judged.find((each) => each.verdict === worst)!;
    if (verdict !== null) return { field, call, verdict };
  }
  return null;
}

/** For sessions that are older than the schema for MCP servers. */
const NOT_UNDERSTOOD: Verdict = {
  decision: 'deny',
  scope: 'default',
  rule: null,
  reason:
    'Baton does not recognise this MCP server configuration, so it cannot tell what the configuration would start',
};
