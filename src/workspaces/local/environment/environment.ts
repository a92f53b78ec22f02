/*
 * What an agent may see of the server's environment (A10). An allow-list, because any other
 * variable may contain a secret belonging to the server, its owner or the shell that started it.
 */

const ALWAYS = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TMPDIR'];

/** Variables that agents need to reach their provider; BATON_AGENT_ENV replaces this list. */
export const AGENT_ENV_DEFAULT: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CONFIG_DIR',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'].flatMap((name) => [
    name,
    name.toLowerCase(),
  ]),
];

/**
 * Variables that are never passed on, even if listed, because they give access to the server and
 * its database. A client's URL and token may be passed on.
 */
const isServers = (name: string): boolean =>
  /^PG/i.test(name) || (/^BATON_/i.test(name) && name !== 'BATON_URL' && name !== 'BATON_TOKEN');

export function agentEnvironment(
  server: Readonly<Record<string, string | undefined>>,
  listed: readonly string[] = AGENT_ENV_DEFAULT,
): Record<string, string> {
  const allowed = new Set([...ALWAYS, ...listed]);
  // Agents write to pipes; any other value makes programs emit colours and cursor movements.
  const seen: Record<string, string> = { TERM: 'dumb' };
  for (const [name, value] of Object.entries(server)) {
    if (value === undefined || isServers(name)) continue;
    if (allowed.has(name) || /^LC_[A-Z]+$/.test(name)) seen[name] = value;
  }
  return seen;
}
