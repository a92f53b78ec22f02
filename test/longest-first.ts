import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Seconds that files take, as `npm test` lists them at its end; the first that fits counts. The last
 * file to begin decides when all is over, so that only long ones have to be here.
 */
const SECONDS: readonly (readonly [path: string, seconds: number])[] = [
  ['test/install.test.ts', 129],
  ['test/web-layout.test.ts', 126],
  ['test/claude-session-crash.test.ts', 95],
  ['test/access-matrix.test.ts', 65],
  ['test/web-conversation.test.ts', 80],
  ['test/api-fuzz.test.ts', 65],
  ['test/cli-access.test.ts', 63],
  ['test/web-', 60],
  ['test/claude-session-', 58],
  ['test/cluster.test.ts', 56],
  ['test/browser-attacks.test.ts', 50],
  ['test/cli', 45],
  ['test/chaos-api.test.ts', 37],
  ['test/silent-connections.test.ts', 37],
  ['test/chaos.test.ts', 30],
];

/** As vitest does, but it knows only what has run before on this machine. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId }: TestSpecification): number =>
      SECONDS.find(([path]) => moduleId.includes(path))?.[1] ?? 0;
    return (await super.sort(files)).sort((a, b) => seconds(b) - seconds(a));
  }
}
