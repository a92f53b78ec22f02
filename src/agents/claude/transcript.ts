import { join } from 'node:path';
import type { TurnRuntime } from '../driver.ts';

/**
 * The transcript of a conversation; null if the agent cannot see it. Claude Code stores transcripts
 * by working directory, and version 2.1.197 resolves an id only from that directory; a path works
 * from anywhere.
 */
export async function findTranscript(
  conversation: string,
  { home, environment, filesIn, inspect }: TurnRuntime,
): Promise<string | null> {
  const projects = join(environment['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude'), 'projects');
  const folders = await filesIn(projects)
    .list('.')
    .catch(() => null);
  for (const { name } of folders?.entries ?? []) {
    const file = join(projects, name, `${conversation}.jsonl`);
    const { kind } = await inspect(file);
    if (kind !== 'missing' && kind !== 'unknown') return file;
  }
  return null;
}
