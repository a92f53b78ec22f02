import type { Turn } from '../driver.ts';

/** Paths of the files that hold arguments. */
export interface ArgumentFiles {
  readonly mcpConfig?: string | undefined;
  readonly systemPrompt?: string | undefined;
  /** Safe to call twice; never rejects. Files that stay are removed together with their node's. */
  remove(): Promise<void>;
}

const MCP_CONFIG = 'mcp.json';
const SYSTEM_PROMPT = 'system-prompt.txt';

/**
 * Uses private files, because MCP configurations contain keys and a system prompt may be secret.
 */
export async function writeArgumentFiles({
  runtime,
  mcpServers,
  systemPrompt,
}: Pick<Turn, 'runtime' | 'mcpServers' | 'systemPrompt'>): Promise<ArgumentFiles> {
  if (mcpServers === undefined && systemPrompt === undefined) return { remove: async () => {} };
  const { paths, remove } = await runtime.keepPrivate({
    ...(mcpServers === undefined ? {} : { [MCP_CONFIG]: JSON.stringify({ mcpServers }) }),
    ...(systemPrompt === undefined ? {} : { [SYSTEM_PROMPT]: systemPrompt }),
  });
  return {
    mcpConfig: paths[MCP_CONFIG],
    systemPrompt: paths[SYSTEM_PROMPT],
    remove: () => remove().catch(() => {}),
  };
}
