import type { ErrorClass, RunError } from '../../contract/outcome.ts';
import type { ProcessExit } from '../../workspaces/process.ts';
import type { DriverEnd } from '../driver.ts';
import { cleanText } from '../fit.ts';
import type { RateLimit, ResultLine } from './lines.ts';
import { INSTALL, isTooOld, OLDEST_VERSION } from './version.ts';

/** What is known about a process that has exited. */
export interface Ended {
  readonly exit: ProcessExit;
  readonly stderr: string;
  readonly hasBegun: boolean;
  readonly version: string | undefined;
  /** Tools that the message relies on but Claude Code lacks. */
  readonly missingTools: readonly string[];
  /** The last result. */
  readonly result: ResultLine | undefined;
  readonly error: { readonly kind: string; readonly text: string } | null;
  readonly limit: RateLimit | null;
  /** In milliseconds. */
  readonly now: number;
}

const SIGN_IN = 'Run "claude" and sign in, or set ANTHROPIC_API_KEY for the server.';
const UPDATE = `Update it: ${INSTALL}`;

/**
 * The outcome of a turn that was not stopped. Success is a result line that is not an error (A4).
 */
export function outcomeOf(ended: Ended): DriverEnd['outcome'] {
  const { result, hasBegun, version, missingTools } = ended;
  if (hasBegun && isTooOld(version)) return failed('agent_unavailable', tooOld(version));
  if (missingTools.length > 0) return failed('invalid_tool', missing(missingTools));
  if (result === undefined) return failed(...withoutResult(ended));
  if (!result.is_error) {
    const text = cleanText(result.result ?? '');
    return { kind: 'succeeded', result: { text, turns: result.num_turns } };
  }
  const message = messageOf(result);
  const until = resetOf(ended);
  if (until !== null) return { kind: 'parked', until, message };
  const errorClass = classOf(ended, result, message);
  return failed(errorClass, errorClass === 'auth_failed' ? `${message}. ${SIGN_IN}` : message);
}

function messageOf(result: ResultLine): string {
  if (result.terminal_reason?.startsWith('aborted')) return 'Claude Code was interrupted.';
  return cleanText(result.result ?? result.errors?.join(' ') ?? result.subtype);
}

/**
 * When the usage limit that refused a call resets. Null if no limit refused a call, or if the reset
 * time is unknown or past.
 */
function resetOf({ result, error, limit, now }: Ended): number | null {
  if (result?.api_error_status !== 429 && error?.kind !== 'rate_limit') return null;
  const until = (limit?.resetsAt ?? 0) * 1000;
  return until > now ? until : null;
}

function classOf({ error }: Ended, result: ResultLine, message: string): ErrorClass {
  switch (result.subtype) {
    case 'error_max_turns':
      return 'turn_limit';
    case 'error_max_budget_usd':
      return 'budget_reached';
    case 'error_during_execution':
      return LOST.test(message) ? 'conversation_lost' : 'agent_crash';
    case 'success':
      return apiErrorClass(statusOf(result, message), error?.kind);
    default:
      return 'unknown';
  }
}

/** If Opus stays overloaded, version 2.1.197 reports it only in words, without a status. */
const statusOf = ({ api_error_status }: ResultLine, message: string): number | null =>
  api_error_status ?? (REPEATED_529.test(message) ? 529 : null);

/** Classifies an API error. If there is no status, the API did not respond. */
function apiErrorClass(status: number | null, kind: string | undefined): ErrorClass {
  if (kind === 'authentication_failed' || status === 401 || status === 403) return 'auth_failed';
  if (status === null) return kind === 'billing_error' ? 'invalid_request' : 'network_error';
  if (status === 429 || status >= 500) return 'overloaded';
  return status === 408 ? 'network_error' : 'invalid_request';
}

const REPEATED_529 = /^API Error: Repeated 529\b/;
/** The conversation, or the message at which a fork starts, no longer exists. */
const LOST = /No conversation found|No message found with message\.uuid/i;
const SIGNED_OUT = /not logged in|please run \/login|invalid api key/i;
const UNKNOWN_OPTION = /unknown option/i;

function withoutResult({ exit, stderr, hasBegun }: Ended): [ErrorClass, string] {
  const last = cleanText(stderr.trim().split('\n').at(-1) ?? '').slice(0, 1000);
  const how = exit.signal === null ? `exit code ${exit.code}` : `${exit.signal}`;
  const message = `Claude Code ended without a result (${how})${last === '' ? '.' : `: ${last}`}`;
  if (LOST.test(stderr)) return ['conversation_lost', last];
  if (SIGNED_OUT.test(stderr)) return ['auth_failed', `${last}. ${SIGN_IN}`];
  if (hasBegun) return ['agent_crash', message];
  if (UNKNOWN_OPTION.test(stderr)) return ['agent_unavailable', tooOld(undefined)];
  // The exit codes of a shell that cannot run a program.
  if (exit.code === 126 || exit.code === 127) return ['agent_unavailable', message];
  return ['agent_crash', message];
}

const tooOld = (version: string | undefined): string =>
  `Claude Code${version === undefined ? '' : ` ${version}`} is too old; Baton needs ${OLDEST_VERSION} or newer. ${UPDATE}`;

const missing = (tools: readonly string[]): string =>
  `The message's allowedTools names tools that Claude Code does not have: ${tools.map((tool) => `"${cleanText(tool)}"`).join(', ')}. Check the spelling and send the message again.`;

const failed = (errorClass: ErrorClass, message: string): DriverEnd['outcome'] => {
  const error: RunError = { class: errorClass, message };
  return { kind: 'failed', error };
};
