import { expect, test } from 'vitest';
import { appRig, TOKEN } from '../../test/support/app-rig.ts';
import { turnsDuring } from '../../test/support/turns.ts';
import { refuseHarmful } from './plain-json.ts';

test('[H9] a value with too many parts, or nested too deeply, is refused', () => {
  expect(() => refuseHarmful(Array(99_999).fill(0))).not.toThrow();
  expect(() => refuseHarmful(Array(100_000).fill(0))).toThrow('too many values');
  expect(() => refuseHarmful({ a: Array(50_000).fill([0]) })).toThrow('too many values');
  expect(() => refuseHarmful(JSON.parse('['.repeat(101) + ']'.repeat(101)))).toThrow('too deeply');
});

const NOT_JSON = 'The body is not JSON.';
const NAMES = Array.from({ length: 10_001 }, (_, i) => `"${i}\\\\" \n: "${i}"`);

test.each([
  ['many values', `{"metadata":[${'1,'.repeat(700_000)}`, 'The body has too many values.'],
  ['many levels', '['.repeat(700_000), 'The body has too many values.'],
  ['many fields', `{${NAMES.join(',')}`, 'The body has too many fields.'],
  ['a text that looks like fields', JSON.stringify(NAMES.join(',')).slice(1), NOT_JSON],
  ['as many fields as are allowed', `{${NAMES.slice(1).join(',')}`, NOT_JSON],
])('[H9] a body of %s is refused before it is parsed, if at all', async (_, payload, message) => {
  const { app } = appRig();
  const answer = await app.inject({
    method: 'POST',
    url: '/api/v1/sessions/0190a1b2-0000-7000-8000-000000000000/messages',
    headers: {
      host: 'a.localhost',
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
    },
    // Not even JSON: parsing it would be another error.
    payload,
  });
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.message).toBe(message);
});

test('[H9] a stranger’s body is not received where nothing reads it', async () => {
  const { app } = appRig();
  for (const [method, url] of [
    ['POST', '/healthz'],
    ['PUT', '/sign-in'],
    ['POST', '/readyz'],
  ] as const) {
    // Not JSON, which would be the error if it were read.
    const answer = await app.inject({
      method,
      url,
      headers: { host: 'a.localhost', 'content-type': 'application/json' },
      payload: 'nonsense',
    });
    expect([url, answer.statusCode]).toEqual([url, 404]);
  }
});

test('[H9] many long bodies at once do not keep the node from its other work', async () => {
  const { app } = appRig();
  const count = 20;
  const payload = JSON.stringify({
    tool: 'Bash',
    channel: 'web',
    input: { a: 'b'.repeat(900_000) },
  });
  let statuses: number[] = [];
  const turns = await turnsDuring(async () => {
    const answers = await Promise.all(
      Array.from({ length: count }, () =>
        app.inject({
          method: 'POST',
          url: '/api/v1/policies/test',
          headers: {
            host: 'a.localhost',
            authorization: `Bearer ${TOKEN}`,
            'content-type': 'application/json',
          },
          payload,
        }),
      ),
    );
    statuses = answers.map(({ statusCode }) => statusCode);
  });
  expect(statuses).toEqual(Array(count).fill(400));
  expect(turns).toBeGreaterThanOrEqual(count);
});
