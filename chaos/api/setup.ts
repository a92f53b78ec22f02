import { randomBytes } from 'node:crypto';

/** What all parts of one run of chaos over the API agree on. */
export const LEASE_SECONDS = 3;
/** In the whole cluster: more than there are endless commands at a time. */
export const MAX_RUNS = 8;
export const MOST_SESSIONS = 14;
export const FIRST_SESSIONS = 8;
/** Of the first ones: nobody reads them, so that they may become idle and end. */
export const LONELY = 2;
/** A request that has no answer after this is lost. */
export const ANSWER_MS = 8000;

export type DatabaseKind = 'postgres' | 'sqlite';

export interface Credentials {
  readonly token: string;
  readonly secretKey: string;
}

export const newCredentials = (): Credentials => ({
  token: randomBytes(24).toString('hex'),
  secretKey: randomBytes(32).toString('base64'),
});

/** What servers and commands must not inherit from whoever started this. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const ours = /^(npm_|BATON_|NODE_(?!COMPILE_CACHE|OPTIONS)|INIT_CWD)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}
