import { createHash } from 'node:crypto';
import type { Standing } from '../../contract/message.ts';
import type { Verdict } from '../../contract/policy.ts';
import { judgeSize } from '../../policy/tools/call-size.ts';
import { strictest } from '../../policy/tools/decide.ts';
import type { OwnFiles } from '../../policy/tools/own-files.ts';
import { type Location, UNKNOWN_FOLDER } from '../../policy/tools/path-match.ts';
import { judgeRefused } from '../../policy/tools/refused-tools.ts';
import type { RulesInForce } from '../approvals/approval-store.ts';
import { realCalls } from './real-call.ts';
import type { Links } from './real-paths.ts';
import { type Call, judge, judgeAll, type Sent } from './tool-scopes.ts';

interface Speakers {
  readonly sent: Sent;
  /** The standings of other people who said something to the run's agent (P2). */
  readonly others?: readonly Standing[];
}

/**
 * Judges a call in the runtime where it would run, both as written and by where its paths really
 * lead. Checks the rules, and whether the call touches Baton's own files (P3, P7).
 */
export async function judgeCall(
  call: Call,
  runtime: Links,
  { sent, others = [] }: Speakers,
  rules: RulesInForce | null,
  ownFiles: OwnFiles,
): Promise<Verdict> {
  const tooLong = judgeSize(call);
  if (tooLong !== null) return tooLong;
  const { calls, targets, isFollowed } = await realCalls(call, runtime);
  const location = { cwd: runtime.root, home: runtime.home };
  const own = calls.map((each) => ownFiles.judge({ ...each, ...location }));
  const verdicts = calls.map((each) => judgeAll(each, location, sent, others, rules));
  const verdict = strictest([
    ...verdicts,
    ...[...own, judgeRefused(call)].filter((one) => one !== null),
  ]);
  if (verdict.decision === 'allow') return verdict;
  const links = isFollowed ? linksTo(targets, runtime.root) : LINK_REASONS.notFollowed;
  return links === '' ? verdict : { ...verdict, reason: `${verdict.reason}${links}` };
}

const TARGETS_MAX = 3;
/**
 * What a reason says about links. web/approvals/reason.ts recognises these phrases to translate
 * them.
 */
export const LINK_REASONS = {
  linked: '; through a link it leads to ',
  notFollowed: '; it has too many names to see where its links lead',
  unknown: '; it is unknown where its links lead',
} as const;

/** Names targets outside the workspace first, because the person must know about them. */
function linksTo(targets: readonly string[], workspace: string): string {
  const known = targets.filter((target) => !isUnknown(target));
  const unknown = known.length < targets.length ? LINK_REASONS.unknown : '';
  if (known.length === 0) return unknown;
  const isInside = (target: string): boolean =>
    target.startsWith(`${workspace}/`) && !/\/\.git(?:\/|$)/i.test(target);
  const sorted = [...known.filter((each) => !isInside(each)), ...known.filter(isInside)];
  const named = sorted.slice(0, TARGETS_MAX).map((target) => JSON.stringify(target));
  const others = sorted.slice(TARGETS_MAX);
  const more = others.length === 0 ? '' : ` and ${others.length} more (${checksumOf(others)})`;
  return `${LINK_REASONS.linked}${named.join(', ')}${more}${unknown}`;
}

/** So that the reason also changes if a link that it does not name leads elsewhere. */
const checksumOf = (targets: readonly string[]): string =>
  `checksum ${createHash('sha256').update(JSON.stringify(targets)).digest('hex').slice(0, 16)}`;

const isUnknown = (target: string): boolean => `${target}/`.startsWith(`${UNKNOWN_FOLDER}/`);

/**
 * The part of a reason about links. If it differs from what a person saw, the links now lead
 * elsewhere.
 */
export function linksIn(reason: string): string {
  const starts = [LINK_REASONS.linked, LINK_REASONS.notFollowed, LINK_REASONS.unknown].map((each) =>
    reason.indexOf(each),
  );
  const first = Math.min(...starts.filter((at) => at !== -1));
  return reason.slice(first);
}

/** Judges a call on any machine, without following links. */
export function judgeAsWritten(
  call: Call,
  location: Location,
  sent: Sent,
  rules: RulesInForce | null,
  ownFiles: OwnFiles,
): Verdict {
  const tooLong = judgeSize(call);
  if (tooLong !== null) return tooLong;
  const own = ownFiles.judge({ ...call, ...location });
  const verdict = judge(call, location, sent, rules);
  return strictest([verdict, ...[own, judgeRefused(call)].filter((one) => one !== null)]);
}
