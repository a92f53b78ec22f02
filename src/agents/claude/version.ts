/** The oldest version known to ask about every tool call with `ask: ["*"]` (P3). */
export const OLDEST_VERSION = '2.1.197';

export function compareVersions(a: string, b: string): number {
  const parts = (version: string) =>
    (/^\d+(\.\d+)*/.exec(version)?.[0] ?? '0').split('.').map(Number);
  const [left, right] = [parts(a), parts(b)];
  for (let n = 0; n < Math.max(left.length, right.length); n++) {
    const difference = (left[n] ?? 0) - (right[n] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export const INSTALL = 'npm install -g @anthropic-ai/claude-code';

export const isTooOld = (version: string | undefined): boolean =>
  version === undefined || compareVersions(version, OLDEST_VERSION) < 0;
