import type { RequestAuthenticator } from './request-authenticator.ts';

export interface AuthMetrics {
  authenticated(seconds: number): void;
  signedIn(ok: boolean): void;
}

/** Counts sign-ins and measures how long authentication takes. */
export const withAuthMetrics = (
  auth: RequestAuthenticator,
  metrics: AuthMetrics,
): RequestAuthenticator => ({
  ...auth,
  async authenticate(request) {
    const start = performance.now();
    try {
      return await auth.authenticate(request);
    } finally {
      metrics.authenticated((performance.now() - start) / 1000);
    }
  },
  async signIn(shown, from) {
    const made = await auth.signIn(shown, from);
    metrics.signedIn(made !== null);
    return made;
  },
});
