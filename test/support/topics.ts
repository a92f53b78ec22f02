import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The rules in a conformance folder, by topic: each file that exports a function `…Rules` is a
 * topic, so a new file needs no entry anywhere.
 */
export async function readTopics<Rules>(folder: string): Promise<[topic: string, rules: Rules][]> {
  const topics: [string, Rules][] = [];
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const exported = (await import(join(folder, file))) as Record<string, unknown>;
    const rules = Object.entries(exported).find(([name]) => name.endsWith('Rules'))?.[1];
    if (rules !== undefined) topics.push([file.slice(0, -3).replaceAll('-', ' '), rules as Rules]);
  }
  if (topics.length === 0) throw new Error(`There are no rules in ${folder}.`);
  return topics;
}
