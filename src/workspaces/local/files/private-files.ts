import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PrivateFiles } from '../../runtime.ts';

/** Writes files that only our user can read to a new folder below `under`. */
export async function writePrivateFiles(
  under: string,
  files: Readonly<Record<string, string>>,
): Promise<PrivateFiles> {
  await mkdir(under, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(under, 'process-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const paths: Record<string, string> = {};
    for (const [name, text] of Object.entries(files)) {
      paths[name] = join(folder, name);
      await writeFile(paths[name], text, { mode: 0o600, flag: 'wx' });
    }
    return { paths, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
