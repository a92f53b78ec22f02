import type { Authorised, Principal } from '../../src/access/principal.ts';
import type { Right } from '../../src/contract/access.ts';

/** Someone whose rights count as checked. What the check refuses is proved over HTTP (test/access/). */
export type Person = Authorised<Right>;

/** For tests that call services directly, past the door where rights are checked. */
export const authorised = (by: Principal): Person => by as Person;
