import { expect, test } from 'vitest';
import type { Row } from '../log/rows.ts';
import { matchesOf, stepTo } from './search.ts';

const text = (seq: number, content: string): Row => ({
  kind: 'text',
  id: `e${seq}`,
  seq,
  at: '2026-01-01T00:00:00.000Z',
  runId: 'r',
  text: content,
  live: false,
  truncated: false,
});

test('[C2] a search finds messages of users and agents', () => {
  const start: Row = { kind: 'start', id: 'e1', seq: 1, at: '', runId: 'r' };
  const runs = new Map([
    [
      'r',
      {
        message: 'Find ME',
        channel: 'web',
        sender: null,
        attachments: [],
        retryOf: null,
        costUsd: 0,
      },
    ],
  ]);
  const rows = [start, text(2, 'nothing'), text(3, 'Found me'), text(4, '日本語')];
  expect(matchesOf(rows, runs, ' me ')).toEqual([1, 3]);
  expect(matchesOf(rows, runs, '本')).toEqual([4]);
  expect(matchesOf(rows, runs, ' ')).toEqual([]);
});

test('stepping through matches wraps around', () => {
  expect(stepTo([], null, 1)).toBeNull();
  expect(stepTo([1, 5, 9], null, -1)).toBe(9);
  expect(stepTo([1, 5, 9], 9, 1)).toBe(1);
  expect(stepTo([1, 5, 9], 1, -1)).toBe(9);
  expect(stepTo([1, 5, 9], 5, 1)).toBe(9);
  // The current match no longer matches.
  expect(stepTo([1, 9], 5, 1)).toBe(9);
});
