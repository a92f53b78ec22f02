import { RIGHTS_OF, type Right } from '../contract/access.ts';
import { BatonError } from '../contract/errors.ts';
import { may, type Principal } from './principal.ts';

/** Throws `forbidden` unless the principal has the right; the error only says what is missing. */
export function requireRight(by: Principal, right: Right): void {
  if (may(by, right)) return;
  const lacking = RIGHTS_OF[by.role].includes(right) ? 'credential' : 'role';
  const why =
    lacking === 'role'
      ? `the role ${by.role} does not have it`
      : 'your role has it, but this credential does not';
  throw new BatonError('forbidden', `This requires the "${right}" right: ${why}.`, {
    details: { right, lacking },
  });
}
