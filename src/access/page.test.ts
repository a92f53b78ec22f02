import { expect, test } from 'vitest';
import { turnsDuring } from '../../test/support/turns.ts';
import { readPage, type Slice } from './page.ts';

/** Rows of the given length, and how many were read at a time. */
function listOf(count: number, characters = 1) {
  const reads: number[] = [];
  const read = async ({ limit, cursor = '0' }: Slice) => {
    const rows = Array.from({ length: count }, (_, i) => i + 1)
      .filter((i) => i > Number(cursor))
      .slice(0, limit)
      .map((id) => ({ id, text: 'x'.repeat(characters) }));
    reads.push(rows.length);
    return rows;
  };
  const page = (request: { limit?: number; cursor?: string }) =>
    readPage(
      { userId: 'taro' },
      request,
      read,
      (row) => row,
      ({ id }) => String(id),
    );
  return { page, reads };
}

test.each([
  [0, {}, 0, null],
  [50, {}, 50, null],
  [51, {}, 50, '50'],
  [3, { limit: 3 }, 3, null],
  [4, { limit: 3 }, 3, '3'],
  [9, { limit: 3, cursor: '6' }, 3, null],
  [200, { limit: 200 }, 200, null],
  [201, { limit: 200 }, 200, '200'],
])('of %d rows, %j returns %d and the cursor %s', async (count, request, length, nextCursor) => {
  const { items, ...rest } = await listOf(count).page(request);
  expect(items).toHaveLength(length);
  expect(rest).toEqual({ nextCursor });
});

test('[H9] a page of long rows ends early, and the next one continues there', async () => {
  const { page, reads } = listOf(120, 500_000);
  const all: number[] = [];
  let pages = 0;
  for (let cursor: string | undefined; ; pages++) {
    const { items, nextCursor } = await page({ limit: 200, ...(cursor && { cursor }) });
    expect(items.length).toBeLessThan(6);
    all.push(...items.map(({ id }) => id));
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  expect(all).toEqual(Array.from({ length: 120 }, (_, i) => i + 1));
  expect(pages).toBeGreaterThan(20);
  // The whole page is never read at once.
  expect(Math.max(...reads)).toBeLessThan(60);
});

test('[H9] other work continues between the slices of a page', async () => {
  const { page, reads } = listOf(201);
  const request = { limit: 200 };
  const turns = await turnsDuring(() => Promise.all([page(request), page(request)]));
  expect(turns).toBeGreaterThanOrEqual(reads.length - 3);
});
