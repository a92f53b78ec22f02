import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import { usageError } from './user-error.ts';

/** A JSON value from a file, or from stdin for `-`. */
export async function readJson<T>(
  path: string,
  schema: z.ZodType<T>,
  expected: string,
): Promise<T> {
  const written = await contents(path);
  const parsed = schema.safeParse(tryParse(written));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw usageError({
    what: `${path === '-' ? 'What was read' : path} cannot be used.`,
    why: `it must be ${expected}; ${where}${issue?.message ?? 'it is not'}.`,
    todo: 'correct it.',
  });
}

async function contents(path: string): Promise<string> {
  try {
    return path === '-' ? await text(process.stdin) : readFileSync(path, 'utf8');
  } catch (cause) {
    throw usageError({
      what: `${path} cannot be read.`,
      why: `${(cause as Error).message}.`,
      todo: 'name a file that is there, or - to read from a pipe.',
    });
  }
}

function tryParse(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}
