import { randomBytes } from 'node:crypto';

/** Settings shared by all parts of one chaos run over the API. */
export const LEASE_SECONDS = 3;
/** In the whole cluster: more than the endless commands at any time. */
export const MAX_RUNS = 8;
export const MOST_SESSIONS = 14;
export const FIRST_SESSIONS = 8;
/** How many of the first sessions have no readers: they may become idle and end. */
export const LONELY = 2;
/** A request without an answer after this time counts as lost. */
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

/** The environment without variables that servers and commands must not inherit. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const ours = /^(npm_|BATON_|NODE_(?!COMPILE_CACHE|OPTIONS)|INIT_CWD)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}
