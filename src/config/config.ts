import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { maskCredentials } from './mask-url.ts';
import { nearest } from './nearest.ts';
import { clientVariables, type Database, settings } from './settings.ts';
import { usageError } from './user-error.ts';

type Settings = typeof settings;
type Value<K extends keyof Settings> = z.output<Settings[K]['schema']>;
type WithFixedDefault =
  | 'host'
  | 'port'
  | 'dataDir'
  | 'profile'
  | 'isolation'
  | 'maxConcurrentRuns'
  | 'leaseSeconds'
  | 'strangerLimit'
  | 'streamLimit'
  | 'queueLimit'
  | 'runOutputMib'
  | 'sharedData'
  | 'parkUsageLimit'
  | 'maskBroad'
  | 'logLevel';
type Optional = Exclude<keyof Settings, WithFixedDefault | 'database' | 'workerConcurrency'>;

/**
 * All settings of a node. The settings are read once, here; nothing else reads flags or variables.
 */
export type Config = Readonly<
  { [K in WithFixedDefault]: Value<K> } & { [K in Optional]: Value<K> | undefined } & {
    database: Database;
    workerConcurrency: number;
  }
>;

/** Flags override variables, and variables override defaults. Throws a UserError that names the mistake. */
export function readConfig(args: string[], env: NodeJS.ProcessEnv): Config {
  const flags = readFlags(args);
  refuseUnknownVariables(env);

  const read = <K extends keyof Settings>(key: K): Value<K> | undefined => {
    const { flag, env: variable } = settings[key];
    const given = flag === undefined ? undefined : flags.get(flag);
    if (given !== undefined) return parse(key, `--${flag}`, given);
    // Compose files and unit files use an empty variable for "not set".
    return env[variable] ? parse(key, variable, env[variable]) : undefined;
  };
  const readOrDefault = <K extends WithFixedDefault>(key: K): Value<K> =>
    read(key) ?? parse(key, settings[key].env, settings[key].default);

  const dataDir = readOrDefault('dataDir');
  const maxConcurrentRuns = readOrDefault('maxConcurrentRuns');
  return {
    host: readOrDefault('host'),
    port: readOrDefault('port'),
    dataDir,
    database: read('database') ?? { kind: 'sqlite', path: join(dataDir, 'baton.db') },
    adminToken: read('adminToken'),
    profile: readOrDefault('profile'),
    isolation: readOrDefault('isolation'),
    maxConcurrentRuns,
    workerConcurrency: read('workerConcurrency') ?? Math.max(10, maxConcurrentRuns),
    maxRunsPerUser: read('maxRunsPerUser'),
    leaseSeconds: readOrDefault('leaseSeconds'),
    hostId: read('hostId'),
    hostName: read('hostName'),
    sharedData: readOrDefault('sharedData'),
    rateLimit: read('rateLimit'),
    strangerLimit: readOrDefault('strangerLimit'),
    streamLimit: readOrDefault('streamLimit'),
    queueLimit: readOrDefault('queueLimit'),
    runOutputMib: readOrDefault('runOutputMib'),
    trustedProxies: read('trustedProxies'),
    drainSeconds: read('drainSeconds'),
    publicUrl: read('publicUrl'),
    nodeUrl: read('nodeUrl'),
    allowedHosts: read('allowedHosts'),
    claudePath: read('claudePath'),
    agentEnv: read('agentEnv'),
    parkUsageLimit: readOrDefault('parkUsageLimit'),
    maskBroad: readOrDefault('maskBroad'),
    maskPatterns: read('maskPatterns'),
    secretKey: read('secretKey'),
    logLevel: readOrDefault('logLevel'),
  };
}

function readFlags(args: string[]): Map<string, string> {
  const known = Object.values(settings).flatMap(({ flag }) => flag ?? []);
  // Does not use `strict`, whose errors would show values and could not suggest similar names.
  const { tokens } = parseArgs({
    args,
    strict: false,
    tokens: true,
    options: Object.fromEntries(known.map((flag) => [flag, { type: 'string' as const }])),
  });
  const flags = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      throw usageError({
        what: `Unexpected argument: "${maskCredentials(token.value)}".`,
        why: 'this command takes only flags.',
        todo: 'remove it, or see "baton help".',
      });
    }
    if (!known.includes(token.name)) throw unknown('flag', token.rawName, known, '--');
    if (token.value === undefined) {
      throw usageError({
        what: `${token.rawName} has no value.`,
        why: 'it is the last argument on the command line.',
        todo: `write ${token.rawName} <value>, or leave it out.`,
      });
    }
    flags.set(token.name, token.value);
  }
  return flags;
}

function refuseUnknownVariables(env: NodeJS.ProcessEnv): void {
  const known = [...Object.values(settings).map((setting) => setting.env), ...clientVariables];
  for (const name of Object.keys(env)) {
    if (name.startsWith('BATON_') && !known.includes(name)) {
      throw unknown('environment variable', name, known, '');
    }
  }
}

function unknown(kind: string, name: string, known: string[], prefix: string): Error {
  const meant = nearest(
    name,
    known.map((each) => prefix + each),
  );
  return usageError({
    what: `Unknown ${kind}: ${name}.`,
    why: `Baton has no such setting${meant ? `; the closest is ${meant}` : ''}.`,
    todo: meant
      ? `write ${meant}, or remove ${name}.`
      : `remove ${name}; "baton help" lists the settings.`,
  });
}

function parse<K extends keyof Settings>(key: K, name: string, value: string): Value<K> {
  const { schema, expected, default: standard, ...setting } = settings[key];
  const result = schema.safeParse(value);
  if (result.success) return result.data as Value<K>;
  const custom = result.error.issues[0]?.message;
  const shown = 'secret' in setting ? '' : `: "${maskCredentials(value)}"`;
  throw usageError({
    what: `${name} has an invalid value${shown}.`,
    why: `${custom?.includes('it must be') ? custom : `it must be ${expected}`}.`,
    todo: `correct ${name}, or leave it out (default: ${standard}).`,
  });
}
