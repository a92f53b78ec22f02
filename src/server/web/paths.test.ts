import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { APP_PATHS } from './paths.ts';

test('[C2] the server and the web app have the same pages', () => {
  const router = readFileSync('web/router.tsx', 'utf8');
  const paths = [...router.matchAll(/^ {2}path: '([^']+)',$/gm)].map(([, path]) => path);
  expect(paths.map((path) => path?.replaceAll(/\$(\w+)/g, '{$1}')).sort()).toEqual(
    [...APP_PATHS].sort(),
  );
});
