import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { LEASE_SECONDS } from '../contract/lease.ts';
import { STRANGER_LIMIT, STREAM_LIMIT } from '../contract/limits.ts';
import { MASK_PATTERNS, MaskPatterns } from '../contract/mask-pattern.ts';

export type Database =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** One setting: its flag and variable, the values it accepts, and its default. */
interface Setting<T> {
  flag?: string;
  env: string;
  /** Completes the sentence "it must be …". */
  expected: string;
  /** Parses the text of the flag or variable. The schema's error may say more than `expected`. */
  schema: z.ZodType<T, string>;
  /** The default in words, for the help text and errors. */
  default: string;
  /** The value is never shown. */
  secret?: true;
  help: string;
}

const setting = <T>(entry: Setting<T>): Setting<T> => entry;

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));

const text = z.string().trim().min(1);

/** A URL without a user, path or query. */
const origin = z
  .url({ protocol: /^https?$/ })
  .transform((url) => new URL(url))
  .refine(({ href, origin }) => href === `${origin}/`)
  .transform(({ origin }) => origin);

const database = z.string().transform((value, context): Database => {
  const sqlite = /^sqlite:(?:\/\/)?(.+)$/.exec(value)?.[1];
  if (sqlite !== undefined && sqlite !== ':memory:') {
    return { kind: 'sqlite', path: expandPath(sqlite) };
  }
  if (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value)) {
    return { kind: 'postgres', url: value };
  }
  context.addIssue({ code: 'custom' });
  return z.NEVER;
});

/** There is no sandbox yet: `auto` means `none`, and the other values are refused. */
const isolation = z
  .enum(['auto', 'none', 'bwrap', 'container'])
  .refine((value) => value === 'auto' || value === 'none', {
    error: ({ input }) => `${input} is not available in this version; it must be auto or none`,
  })
  .transform((): 'none' => 'none');

const profile = z.enum(['dev', 'prod']).refine((value) => value === 'dev', {
  error: 'prod requires isolation, which this version does not have; it must be dev',
});

export const settings = {
  host: setting({
    flag: 'host',
    env: 'BATON_HOST',
    expected: 'an address or host name of this machine, such as 127.0.0.1',
    schema: z.string().regex(/^[0-9A-Za-z.:_%-]+$/),
    default: '127.0.0.1',
    help: 'address to listen on',
  }),
  port: setting({
    flag: 'port',
    env: 'BATON_PORT',
    expected: 'a whole number from 0 to 65535 (0 picks a free port)',
    schema: whole(0, 65_535),
    default: '8080',
    help: 'port to listen on; 0 picks a free one',
  }),
  dataDir: setting({
    flag: 'data-dir',
    env: 'BATON_DATA_DIR',
    expected: 'the path of a directory',
    schema: text.transform(expandPath),
    default: '~/.baton',
    help: "directory for all of Baton's data",
  }),
  database: setting({
    flag: 'database',
    env: 'BATON_DATABASE_URL',
    expected: 'sqlite:<path> or postgres://<user>:<password>@<host>/<database>',
    schema: database,
    default: 'sqlite:<data-dir>/baton.db',
    // Even a value too mistyped to parse may contain a password.
    secret: true,
    help: 'sqlite:<path> or postgres://…',
  }),
  adminToken: setting({
    env: 'BATON_ADMIN_TOKEN',
    expected: 'at least 16 printable characters without spaces',
    schema: z.string().regex(/^[\x21-\x7e]{16,512}$/),
    default: 'generated at first start',
    secret: true,
    help: 'token of the administrator',
  }),
  profile: setting({
    flag: 'profile',
    env: 'BATON_PROFILE',
    expected: 'dev',
    schema: profile,
    default: 'dev',
    help: 'dev (prod is not available yet)',
  }),
  isolation: setting({
    flag: 'isolation',
    env: 'BATON_ISOLATION',
    expected: 'auto or none',
    schema: isolation,
    default: 'auto',
    help: 'isolation of agent processes: auto or none',
  }),
  maxConcurrentRuns: setting({
    flag: 'max-concurrent-runs',
    env: 'BATON_MAX_CONCURRENT_RUNS',
    expected: 'a whole number from 1 to 1000',
    schema: whole(1, 1000),
    default: '4',
    help: 'maximum concurrent agent runs in the whole cluster',
  }),
  workerConcurrency: setting({
    flag: 'worker-concurrency',
    env: 'BATON_WORKER_CONCURRENCY',
    expected: 'a whole number from 1 to 1000',
    schema: whole(1, 1000),
    default: 'the larger of 10 and --max-concurrent-runs',
    help: 'maximum concurrent runs on this node',
  }),
  maxRunsPerUser: setting({
    env: 'BATON_MAX_RUNS_PER_USER',
    expected: 'a whole number from 1 to 1000',
    schema: whole(1, 1000),
    default: 'none',
    help: 'maximum concurrent runs per user',
  }),
  leaseSeconds: setting({
    env: 'BATON_LEASE_SECONDS',
    expected: 'a whole number from 1 to 3600',
    schema: whole(1, 3600),
    default: String(LEASE_SECONDS),
    help: 'seconds without a heartbeat after which a node counts as dead',
  }),
  hostId: setting({
    env: 'BATON_HOST_ID',
    expected: '1 to 100 letters, digits, dots, dashes or underscores',
    schema: z.string().regex(/^[\w.-]{1,100}$/),
    default: 'read from <data-dir>/host-id, generated at first start',
    help: 'id of this machine; sessions are pinned to it',
  }),
  hostName: setting({
    env: 'BATON_HOST_NAME',
    expected: '1 to 60 letters, digits, dots, dashes or underscores, not beginning with a dash',
    schema: z.string().regex(/^[\w.][\w.-]{0,59}$/),
    default: "the machine's host name",
    help: 'name of this machine; a number is added if another machine has it',
  }),
  sharedData: setting({
    env: 'BATON_SHARED_DATA',
    expected: '1 or 0',
    schema: z.enum(['1', '0']).transform((value) => value === '1'),
    default: '0',
    help: 'whether all machines use the same data directory',
  }),
  rateLimit: setting({
    env: 'BATON_RATE_LIMIT',
    expected: 'a whole number from 1 to 1000000',
    schema: whole(1, 1_000_000),
    default: '100, and none for the administrator',
    help: 'maximum requests per minute per user',
  }),
  strangerLimit: setting({
    env: 'BATON_STRANGER_LIMIT',
    expected: 'a whole number from 1 to 1000000',
    schema: whole(1, 1_000_000),
    default: String(STRANGER_LIMIT),
    help: 'maximum requests without a credential per minute per address',
  }),
  streamLimit: setting({
    env: 'BATON_STREAM_LIMIT',
    expected: 'a whole number from 1 to 100000',
    schema: whole(1, 100_000),
    default: String(STREAM_LIMIT),
    help: 'maximum open streams per user',
  }),
  queueLimit: setting({
    env: 'BATON_QUEUE_LIMIT',
    expected: 'a whole number from 1 to 1000',
    schema: whole(1, 1000),
    default: '1000',
    help: 'maximum queued runs per session',
  }),
  runOutputMib: setting({
    env: 'BATON_RUN_OUTPUT_MIB',
    expected: 'a whole number from 1 to 100000',
    schema: whole(1, 100_000),
    default: '64',
    help: 'MiB of agent output that one run may store',
  }),
  trustedProxies: setting({
    env: 'BATON_TRUSTED_PROXIES',
    expected: 'addresses or networks such as 10.0.0.0/8, separated by commas',
    schema: z
      .string()
      .transform((value) => value.split(',').map((each) => each.trim()))
      .pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]))),
    default: 'none',
    help: 'comma-separated proxies whose X-Forwarded-For header is trusted',
  }),
  drainSeconds: setting({
    env: 'BATON_DRAIN_SECONDS',
    expected: 'a whole number from 0 to 300',
    schema: whole(0, 300),
    default: '5 for baton api, otherwise 0',
    help: 'seconds a stopping node keeps serving requests while /readyz fails',
  }),
  publicUrl: setting({
    env: 'BATON_PUBLIC_URL',
    expected: 'a URL like https://baton.example, without user, path or query',
    // The URL has no path, because pages and cookies use the host's root path.
    schema: origin,
    default: 'the address it listens on',
    help: 'URL that browsers use',
  }),
  nodeUrl: setting({
    env: 'BATON_NODE_URL',
    expected: 'a URL like http://10.0.0.5:8080, without user, path or query',
    schema: origin,
    default: 'the address it listens on, unless that is a loopback or wildcard address',
    help: 'URL at which nodes on other machines reach this one',
  }),
  allowedHosts: setting({
    env: 'BATON_ALLOWED_HOSTS',
    expected: 'host names without port, separated by commas',
    schema: z
      .string()
      .transform((value) => value.split(',').map((name) => name.trim().toLowerCase()))
      .pipe(z.array(z.string().regex(/^[a-z0-9]([a-z0-9._-]{0,251}[a-z0-9])?$/))),
    default: 'localhost, addresses, and the host of BATON_PUBLIC_URL',
    help: 'additional host names of this server, comma-separated',
  }),
  claudePath: setting({
    env: 'BATON_CLAUDE_PATH',
    expected: 'the path of the Claude Code program',
    schema: text.transform(expandPath),
    default: 'claude on the PATH, then in node_modules',
    help: 'path of the Claude Code program',
  }),
  agentEnv: setting({
    env: 'BATON_AGENT_ENV',
    expected: 'names of environment variables, separated by commas',
    schema: z
      .string()
      .transform((value) => value.split(',').map((name) => name.trim()))
      .pipe(z.array(z.string().regex(/^[A-Za-z_]\w*$/))),
    default: 'provider keys, base URLs and proxy variables',
    help: 'environment variables of the server that agents may see',
  }),
  parkUsageLimit: setting({
    env: 'BATON_PARK_USAGE_LIMIT',
    expected: 'true or false',
    schema: z.enum(['true', 'false']).transform((value) => value === 'true'),
    default: 'true',
    help: 'whether a run waits for a usage limit to end instead of failing',
  }),
  maskBroad: setting({
    env: 'BATON_MASK_BROAD',
    expected: 'true or false',
    schema: z.enum(['true', 'false']).transform((value) => value === 'true'),
    default: 'false',
    help: 'whether to mask every word of 20 capital letters and digits',
  }),
  maskPatterns: setting({
    env: 'BATON_MASK_PATTERNS',
    expected: MASK_PATTERNS,
    schema: MaskPatterns,
    default: 'none',
    help: 'patterns for your own tokens to mask, such as acme-[a-z0-9]{16,}',
  }),
  secretKey: setting({
    env: 'BATON_SECRET_KEY',
    expected: '32 bytes in base64 (44 characters)',
    schema: z
      .base64()
      .transform((value) => Buffer.from(value, 'base64'))
      .refine((key) => key.length === 32),
    default: 'read from <data-dir>/secret-key, generated at first start',
    secret: true,
    help: 'key that encrypts stored secrets',
  }),
  logLevel: setting({
    env: 'BATON_LOG_LEVEL',
    expected: 'trace, debug, info, warn, error, fatal or silent',
    schema: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    default: 'info',
    help: 'least severe level that is logged',
  }),
};

/**
 * Variables that client commands read, or that are set for agents' processes
 * (src/workspaces/local/processes/tag.ts). A server started in the same shell must not refuse them.
 */
export const clientVariables = ['BATON_URL', 'BATON_TOKEN', 'BATON_AGENT_MARK'];

function expandPath(path: string): string {
  return resolve(path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path);
}
