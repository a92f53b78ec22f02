import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { TOPICS } from '../topics.ts';
import { formatHint, type HintMessage, parseHint } from './hint-message.ts';

/** How nodes from before topics read a message. */
const Before = z.object({
  from: z.string(),
  ready: z.boolean(),
  nodes: z.array(z.string()),
  lanes: z.array(z.string()),
  all: z.boolean().default(false),
  schedules: z.boolean().default(false),
  access: z.boolean().default(false),
});

const message = (rest: Partial<HintMessage> = {}): HintMessage => ({
  from: 'me',
  lanes: [],
  nodes: [],
  topics: [],
  all: false,
  ...rest,
});

test('[E1] a hint survives the notification, and says `all` if its names do not fit into one', () => {
  const names = fc.array(fc.string({ maxLength: 60, unit: 'binary' }), { maxLength: 120 });
  const hints = fc.record({ lanes: names, nodes: names, topics: fc.subarray([...TOPICS]) });
  fc.assert(
    fc.property(hints, (rest) => {
      const text = formatHint(message(rest));
      expect(Buffer.byteLength(text)).toBeLessThan(8000);
      const read = parseHint(text);
      if (read?.all === true) expect(read).toMatchObject({ lanes: [], nodes: [] });
      else expect(read).toMatchObject({ lanes: rest.lanes, nodes: rest.nodes });
      expect([...(read?.topics ?? [])].sort()).toEqual([...rest.topics].sort());
    }),
    { numRuns: 40 },
  );
  expect(parseHint(formatHint(message({ lanes: ['l'.repeat(8000)] })))?.all).toBe(true);
});

test('[O3] nodes from before topics understand a hint, and are understood', () => {
  const hint = message({ lanes: ['l'], nodes: ['n'], topics: ['access', 'of-a-later-version'] });
  expect(Before.parse(JSON.parse(formatHint(hint)))).toEqual({
    from: 'me',
    lanes: ['l'],
    nodes: ['n'],
    ready: false,
    schedules: false,
    access: true,
    all: false,
  });
  const before = { from: 'me', ready: true, nodes: [], lanes: ['l'], all: true, schedules: false };
  expect(parseHint(JSON.stringify({ ...before, access: true }))).toEqual(
    message({ lanes: ['l'], topics: ['ready', 'access'], all: true }),
  );
  // From versions without schedules, or without users.
  expect(parseHint(JSON.stringify(before))?.topics).toEqual(['ready']);
});

test('text that is not a hint is ignored', () => {
  for (const text of ['', 'null', '[]', '{}', '{"from":"me"}', '{"from":1,"lanes":[],"nodes":[]}'])
    expect(parseHint(text)).toBeNull();
});
