import type { Standing } from '../../contract/message.ts';
import type { Verdict } from '../../contract/policy.ts';
import { strictest } from '../../policy/tools/decide.ts';
import type { OwnFiles } from '../../policy/tools/own-files.ts';
import type { Location } from '../../policy/tools/path-match.ts';
import { judgeRefused } from '../../policy/tools/refused-tools.ts';
import type { RulesInForce } from '../approvals/approval-store.ts';
import { realCalls } from './real-call.ts';
import type { Links } from './real-paths.ts';
import { type Call, judge, judgeAll, type Sent } from './tool-scopes.ts';

interface Speakers {
  readonly sent: Sent;
  /** The standings of other people who sent messages to the run (P2). */
  readonly others?: readonly Standing[];
}

/**
 * Judges a call in the runtime where it would run, both as written and by where its paths really
 * lead. Checks the rules, and whether it touches Baton's own files (P3, P7).
 */
export async function judgeCall(
  call: Call,
  runtime: Links,
  { sent, others = [] }: Speakers,
  rules: RulesInForce | null,
  ownFiles: OwnFiles,
): Promise<Verdict> {
  const { calls, targets, isFollowed } = await realCalls(call, runtime);
  const location = { cwd: runtime.root, home: runtime.home };
  const own = calls.map((each) => ownFiles.judge({ ...each, ...location }));
  const verdicts = calls.map((each) => judgeAll(each, location, sent, others, rules));
  const verdict = strictest([
    ...verdicts,
    ...[...own, judgeRefused(call)].filter((one) => one !== null),
  ]);
  if (verdict.decision === 'allow') return verdict;
  const links = isFollowed ? linksTo(targets, runtime.root) : NOT_FOLLOWED;
  return links === '' ? verdict : { ...verdict, reason: `${verdict.reason}${links}` };
}

const TARGETS_MAX = 3;
// web/approvals/reason.ts recognises these to translate them.
const LINKED = '; through a link it leads to ';
const NOT_FOLLOWED = '; it has too many names to see where its links lead';

/** Names targets outside the workspace first: they are what the person must know. */
function linksTo(targets: readonly string[], workspace: string): string {
  if (targets.length === 0) return '';
  const isInside = (target: string): boolean =>
    target.startsWith(`${workspace}/`) && !/\/\.git(?:\/|$)/i.test(target);
  const sorted = [...targets.filter((each) => !isInside(each)), ...targets.filter(isInside)];
  const named = sorted.slice(0, TARGETS_MAX).map((target) => JSON.stringify(target));
  const more = sorted.length - named.length;
  return `${LINKED}${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What a reason says about links, to notice that they lead elsewhere since a person saw it. */
export function linksIn(reason: string): string {
  const at = Math.max(reason.lastIndexOf(LINKED), reason.lastIndexOf(NOT_FOLLOWED));
  return at === -1 ? '' : reason.slice(at);
}

/** The same on any machine, without following paths. */
export function judgeAsWritten(
  call: Call,
  location: Location,
  sent: Sent,
  rules: RulesInForce | null,
  ownFiles: OwnFiles,
): Verdict {
  const own = ownFiles.judge({ ...call, ...location });
  const verdict = judge(call, location, sent, rules);
  return strictest([verdict, ...[own, judgeRefused(call)].filter((one) => one !== null)]);
}
