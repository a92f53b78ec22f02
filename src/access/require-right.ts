import { RIGHTS_OF, type Right } from '../contract/access.ts';
import { BatonError } from '../contract/errors.ts';
import { type Holder, may, type Principal } from './principal.ts';

/**
 * Throws `forbidden` unless the principal has the right; the error says only which right is
 * missing.
 *
 * How rights are enforced: an endpoint of the contract names the right that its operation requires
 * (`needs`, `reads`). Everything that admits callers checks their rights here: routes
 * (server/route.ts), WebSockets, and any future channel. This check has to come first, because a
 * caller without the right must learn nothing, not even whether the input is valid. Services do not
 * check rights again: a method that requires a right takes an `Authorised` principal, so code that
 * skips the check does not compile, nor does an endpoint that requires less than its service does.
 *
 * Services check what only they can know: the caller's access to a session (`findSession`). Queued
 * work has no caller any more, so when it starts, its sender's rights are read from the database
 * (sessions/rules/sender-check.ts).
 */
export function requireRight<R extends Right>(by: Principal, right: R): asserts by is Holder<R> {
  if (may(by, right)) return;
  const lacking = RIGHTS_OF[by.role].includes(right) ? 'credential' : 'role';
  const why =
    lacking === 'role'
      ? `your role (${by.role}) does not have it`
      : 'your role has it, but this credential does not';
  throw new BatonError('forbidden', `This requires the "${right}" right: ${why}.`, {
    details: { right, lacking },
  });
}
