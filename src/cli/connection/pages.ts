interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** The largest page that a server returns. */
const LIMIT = 200;

/** All items of a list; pages are requested as items are consumed. */
export async function* pagesOf<T>(
  read: (page: { limit: number; cursor?: string }) => Promise<Page<T>>,
): AsyncGenerator<T> {
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read({ limit: LIMIT, ...(cursor === null ? {} : { cursor }) });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
