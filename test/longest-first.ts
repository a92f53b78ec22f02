import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Seconds that files take, as `npm test` lists them at its end; the first that fits counts. The last
 * file to begin decides when all is over, so that only long ones have to be here.
 */
const SECONDS: readonly (readonly [path: string, seconds: number])[] = [
  ['test/web-layout.test.ts', 129],
  ['test/web-admin.test.ts', 94],
  ['test/claude-session-crash.test.ts', 88],
  ['test/web-start.test.ts', 78],
  ['test/claude-session-cut-off.test.ts', 74],
  ['test/install.test.ts', 73],
  ['test/access-matrix.test.ts', 68],
  ['test/browser-attacks.test.ts', 67],
  ['test/cluster.test.ts', 60],
  ['test/web-', 55],
  ['test/chaos.test.ts', 50],
  ['test/claude-session-', 45],
  ['test/cli', 40],
  ['test/api-fuzz.test.ts', 40],
  ['test/chaos-api.test.ts', 28],
];

/** As vitest does, but it knows only what has run before on this machine. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId }: TestSpecification): number =>
      SECONDS.find(([path]) => moduleId.includes(path))?.[1] ?? 0;
    return (await super.sort(files)).sort((a, b) => seconds(b) - seconds(a));
  }
}
