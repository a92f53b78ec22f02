import { access, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The transcript of a conversation; null if it is not on this machine. Claude Code stores
 * transcripts by working directory, and 2.1.197 resolves an id only from that directory; a path
 * works from anywhere.
 */
export async function findTranscript(
  conversation: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const home = environment['HOME'] ?? homedir();
  const projects = join(environment['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude'), 'projects');
  const folders = await readdir(projects).catch(() => []);
  for (const folder of folders) {
    const file = join(projects, folder, `${conversation}.jsonl`);
    if (await exists(file)) return file;
  }
  return null;
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
