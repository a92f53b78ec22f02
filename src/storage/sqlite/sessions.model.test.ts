import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { DEPTH } from '../../../test/depth.ts';
import { testStore } from '../../../test/sqlite.ts';
import { sessionModel } from '../../sessions/session-store.model.ts';

const directory = mkdtempSync(join(tmpdir(), 'baton-sqlite-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

sessionModel(
  'SQLite',
  (place, clock) => testStore({ path: join(directory, `${place}.db`), clock }),
  { numRuns: 6 * DEPTH },
);
