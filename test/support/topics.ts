/**
 * The rules in a conformance folder, by topic: each module that exports a function `…Rules` is a
 * topic, so a new file needs no entry anywhere. The modules come from `import.meta.glob`, which
 * leaves out the importing file; importing the folder's files while tests are collected could wait
 * for itself.
 */
export function topicsOf<Rules>(modules: Record<string, unknown>): [topic: string, rules: Rules][] {
  const topics = Object.entries(modules).flatMap(([path, module]): [string, Rules][] => {
    const rules = Object.entries(module as object).find(([name]) => name.endsWith('Rules'))?.[1];
    const topic = path.replace(/^\.\/|\.ts$/g, '').replaceAll('-', ' ');
    return rules === undefined ? [] : [[topic, rules as Rules]];
  });
  if (topics.length === 0) throw new Error('This folder has no rules.');
  return topics;
}
