import type { Config } from '../config/config.ts';
import { createMasker, type ServerMasker } from '../policy/masking/masking.ts';
import { AGENT_ENV_DEFAULT } from '../workspaces/local/environment/environment.ts';

/*
 * A server's masker: it applies the settings of P4 and hides the server's own secrets. Secrets in
 * files are added once they have been read (`hideOwn`).
 */

type Env = Readonly<Record<string, string | undefined>>;
type Given = Pick<
  Config,
  'maskBroad' | 'maskPatterns' | 'adminToken' | 'secretKey' | 'database' | 'agentEnv'
>;

export function serverMasker(
  config: Given,
  env: Env,
  onMasked: (name: string) => void = () => {},
): ServerMasker {
  const masker = createMasker({
    broadCapitals: config.maskBroad,
    patterns: (config.maskPatterns ?? []).map((source) => ({ name: 'MASKED', source })),
    onMasked,
  });
  masker.hide([...databasePasswords(config.database, env), ...ofAgents(config.agentEnv, env)]);
  hideOwn(masker, config.adminToken, config.secretKey);
  return masker;
}

/** Hides the server's own secrets, as far as they are already known. */
export function hideOwn(
  masker: ServerMasker,
  adminToken: string | undefined,
  key: Buffer | undefined,
): void {
  const encodings = ['base64', 'base64url', 'hex'] as const;
  masker.hide([
    ...(adminToken === undefined ? [] : [adminToken]),
    ...(key === undefined ? [] : encodings.map((encoding) => key.toString(encoding))),
    // The key is often written without its padding.
    ...(key === undefined ? [] : [key.toString('base64').replace(/=+$/, '')]),
  ]);
}

function databasePasswords(database: Config['database'], env: Env): string[] {
  const asked = database.kind === 'postgres' ? new URL(database.url) : null;
  const inUrl = [asked?.password, asked?.searchParams.get('password')].filter(
    (each) => typeof each === 'string',
  );
  // `pg` also reads this variable.
  const all = [...inUrl, ...inUrl.map(decoded), env['PGPASSWORD'] ?? ''];
  return all.filter((each) => each !== '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const SAYS_SECRET = /key|token|secret|passw|passphrase|pwd/i;
/**
 * A variable whose name ends like this contains the location of a secret, not the secret itself.
 */
const SAYS_PLACE = /(?:file|path|dir|url|helper)$/i;

/** The values of the variables that agents may see and whose names suggest a secret. */
const ofAgents = (listed: readonly string[] = AGENT_ENV_DEFAULT, env: Env): string[] =>
  listed
    .filter((name) => SAYS_SECRET.test(name) && !SAYS_PLACE.test(name) && name !== 'PWD')
    .flatMap((name) => env[name] ?? []);
