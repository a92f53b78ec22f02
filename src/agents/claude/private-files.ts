import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Turn } from '../driver.ts';

/** Arguments passed in files, because every user of the machine can read a command line. */
export interface PrivateFiles {
  readonly mcpConfig?: string;
  readonly systemPrompt?: string;
  /** Safe to call twice. */
  remove(): Promise<void>;
}

const NONE: PrivateFiles = { remove: async () => {} };

/**
 * MCP servers are configured with their keys, so the configuration goes into a file that only our user
 * can read, and so does the system prompt. The folder belongs to one process and is removed with it.
 */
export async function writePrivateFiles(
  under: string,
  { mcpServers, systemPrompt }: Pick<Turn, 'mcpServers' | 'systemPrompt'>,
): Promise<PrivateFiles> {
  if (mcpServers === undefined && systemPrompt === undefined) return NONE;
  await mkdir(under, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(under, 'claude-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    return path;
  };
  try {
    return {
      ...(mcpServers !== undefined && {
        mcpConfig: await write('mcp.json', JSON.stringify({ mcpServers })),
      }),
      ...(systemPrompt !== undefined && {
        systemPrompt: await write('system-prompt.txt', systemPrompt),
      }),
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
