import { request } from '../../src/client/request.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import { fetchWithKey, forgetPageKey } from './page-key.ts';

/** Signs out all tabs of this browser and goes to the sign-in page. */
export async function signOut(): Promise<void> {
  const client = { url: location.origin, fetch: fetchWithKey };
  try {
    await request(client, { method: 'POST', path: '/sign-out' }, {});
  } catch (error) {
    // Already signed out.
    if (!isBatonError(error, 'unauthorized')) throw error;
  }
  forgetPageKey();
  location.assign('/sign-in');
}
