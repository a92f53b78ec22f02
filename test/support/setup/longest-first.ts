import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Seconds that files take, as `npm test` lists them at its end; the first match counts. Only long
 * files matter: one that starts last delays the end of the whole run.
 */
const SECONDS: readonly (readonly [path: string, seconds: number])[] = [
  ['test/start/install.test.ts', 129],
  ['test/web/web-layout.test.ts', 126],
  ['test/claude/claude-session-crash.test.ts', 95],
  ['test/access/access-matrix.test.ts', 65],
  ['test/web/web-conversation.test.ts', 80],
  ['test/server/api-fuzz.test.ts', 65],
  ['test/cli/cli-access.test.ts', 63],
  ['test/web/web-', 60],
  ['test/claude/claude-session-', 58],
  ['test/cluster/cluster.test.ts', 56],
  ['test/web/browser-attacks.test.ts', 50],
  ['test/cli/cli', 45],
  ['test/chaos/chaos-api.test.ts', 37],
  ['test/server/silent-connections.test.ts', 37],
  ['test/chaos/chaos.test.ts', 30],
];

/** Vitest sorts the same way, but knows only files that have run before on this machine. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId }: TestSpecification): number =>
      SECONDS.find(([path]) => moduleId.includes(path))?.[1] ?? 0;
    return (await super.sort(files)).sort((a, b) => seconds(b) - seconds(a));
  }
}
