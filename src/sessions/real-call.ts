import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Json } from '../contract/json.ts';

interface Call {
  readonly tool: string;
  readonly input: Json;
}

/** Where the tools that work on files say which. */
const PATHS = ['file_path', 'notebook_path', 'path'];

/**
 * The same call with links followed, for rules about paths: a repository may bring a link that leads
 * out of it. Null if no link is in the way. A workspace behind a link is still the same workspace.
 */
export async function realCall<C extends Call>(call: C, workspace: string): Promise<C | null> {
  const { input } = call;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return null;
  const home = await realpath(workspace).catch(() => workspace);
  const changed: { [name: string]: Json } = {};
  for (const name of PATHS) {
    const said = Object.hasOwn(input, name) ? input[name] : undefined;
    if (typeof said !== 'string' || said === '' || said.startsWith('~')) continue;
    const path = resolve(workspace, said);
    const real = inWorkspace(await realPath(path), home, workspace);
    if (real !== path) changed[name] = real;
  }
  return Object.keys(changed).length === 0 ? null : { ...call, input: { ...input, ...changed } };
}

/** As many as systems follow. */
const LINKS_MAX = 40;

/** Of what is not there yet, the folder that is; a link to nothing is written through, too. */
async function realPath(path: string, links = 0): Promise<string> {
  const found = await realpath(path).catch(() => null);
  if (found !== null || links > LINKS_MAX) return found ?? path;
  const target = await readlink(path).catch(() => null);
  const folder = dirname(path);
  if (target !== null) return realPath(resolve(await realPath(folder, links), target), links + 1);
  return folder === path ? path : join(await realPath(folder, links), basename(path));
}

function inWorkspace(path: string, home: string, workspace: string): string {
  const from = relative(home, path);
  return from === '..' || from.startsWith('../') ? path : join(workspace, from);
}
