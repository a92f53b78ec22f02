import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import { usageError } from '../../config/user-error.ts';
import { fileProblem } from './file-problem.ts';

/** A JSON value from a file, or from stdin for `-`. */
export async function readJson<T>(
  path: string,
  schema: z.ZodType<T>,
  expected: string,
): Promise<T> {
  const given = tryParse(await contents(path));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const what = `${path === '-' ? 'The input from the pipe' : path} is not valid.`;
  throw usageError({ what, why: whyNot(given, parsed.error), todo: `provide ${expected}.` });
}

function whyNot(given: unknown, { issues: [issue] }: z.ZodError): string {
  if (given === undefined) return 'it is not JSON.';
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  return `${where}${issue?.message ?? 'its structure is wrong'}.`;
}

async function contents(path: string): Promise<string> {
  try {
    return path === '-' ? await text(process.stdin) : readFileSync(path, 'utf8');
  } catch (cause) {
    throw usageError({
      what: `${path} cannot be read.`,
      why: fileProblem(cause),
      todo: 'give the path of an existing file, or - to read from standard input.',
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
