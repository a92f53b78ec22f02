import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { DEPTH } from '../../../test/support/depth.ts';
import { testStore } from '../../../test/support/sqlite.ts';
import { sessionModel } from '../../sessions/conformance/model/session-store.ts';

const directory = mkdtempSync(join(tmpdir(), 'baton-sqlite-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

sessionModel(
  'SQLite',
  (place, clock) => testStore({ path: join(directory, `${place}.db`), clock }),
  { numRuns: 6 * DEPTH },
);
