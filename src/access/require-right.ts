import { RIGHTS_OF, type Right } from '../contract/access.ts';
import { BatonError } from '../contract/errors.ts';
import { may, type Principal } from './principal.ts';

/** Throws `forbidden` unless the credential is good for this; says what it lacks, and nothing else. */
export function requireRight(by: Principal, right: Right): void {
  if (may(by, right)) return;
  const lacking = RIGHTS_OF[by.role].includes(right) ? 'credential' : 'role';
  const why =
    lacking === 'role'
      ? `the role ${by.role} does not have`
      : 'your role has, but this credential was not given';
  throw new BatonError('forbidden', `This needs the right ${right}, which ${why}.`, {
    details: { right, lacking },
  });
}
