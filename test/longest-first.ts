import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of a minute and more. The last one to begin decides when all is over. */
const LONG = [
  'test/cluster.test.ts',
  'test/api-fuzz.test.ts',
  'test/web-',
  'test/claude-session-',
  'test/install.test.ts',
  'test/cli',
  'test/access-matrix.test.ts',
  'test/browser-attacks.test.ts',
  'test/chaos',
];

/** As vitest does, but it knows only what has run before on this machine. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((path) => moduleId.includes(path));
      return at === -1 ? LONG.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
