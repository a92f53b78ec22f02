import { lstat, readlink } from 'node:fs/promises';
import type { Inspected } from '../../runtime.ts';
import { kindOf } from './files.ts';

/** Errors count as missing: what the system refuses to us, it refuses to the agent. */
export async function inspect(path: string): Promise<Inspected> {
  try {
    const kind = kindOf(await lstat(path));
    return kind === 'link' ? { kind, target: await readlink(path) } : { kind };
  } catch {
    return { kind: 'missing' };
  }
}
