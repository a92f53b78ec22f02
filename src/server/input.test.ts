import { expect, test } from 'vitest';
import { appRig } from '../../test/support/app-rig.ts';
import { ErrorAnswer } from '../contract/api/error-answer.ts';

const SESSION = '/api/v1/sessions/0190a1b2-0000-7000-8000-000000000000';
const deep = (depth: number) => `{"name":"abc","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;

test.each([
  ['broken JSON', '{"name":', undefined],
  ['text', 'hello', undefined],
  ['a list', '[]', ''],
  ['null', 'null', ''],
  ['nothing', '', 'body'],
  ['a missing field', '{}', 'name'],
  ['an unknown field', '{"name":"abc","colour":1}', 'colour'],
  ['an unknown field inside', '{"name":"abc","agent":{"kind":"shell","x":1}}', 'agent.x'],
  ['a wrong type', '{"name":5}', 'name'],
  ['a wrong type in a list', '{"name":"abc","tags":["a",5]}', 'tags.1'],
  ['a prototype', '{"name":"abc","__proto__":{"a":1}}', '__proto__'],
  ['a prototype inside', '{"name":"abc","agent":{"__proto__":1}}', 'agent.__proto__'],
  ['a constructor', '{"constructor":{"prototype":{"a":1}}}', 'constructor'],
  ['a NUL', '{"name":"abc","description":"a\\u0000b"}', 'description'],
  ['half a surrogate pair', '{"name":"abc","description":"\\ud800"}', 'description'],
  ['extreme nesting', deep(200_000), 'x.0.0'],
] as const)('[H9] %s in a body is refused, and the field is named', async (_, body, field) => {
  const answer = await appRig().post('/api/v1/sessions', body);
  expect(answer.statusCode).toBe(400);
  const { error } = ErrorAnswer.parse(answer.json());
  expect(error.code).toBe('invalid_request');
  expect(error.details).toEqual(field === undefined ? undefined : { field });
});

test('[H9] bytes that are not UTF-8 are refused, not replaced', async () => {
  const body = Buffer.concat([
    Buffer.from('{"name":"ab'),
    Buffer.of(0xff, 0xc3),
    Buffer.from('"}'),
  ]);
  const answer = await appRig().post('/api/v1/sessions', body);
  expect(answer.json()).toMatchObject({
    error: { status: 400, message: 'The body is not UTF-8.' },
  });
});

test('[H9] a body of more than 1 MiB is refused, and a smaller one is accepted', async () => {
  const { post } = appRig();
  const body = (length: number) => `{"name":"abc","description":"${'x'.repeat(length)}"}`;
  const large = await post('/api/v1/sessions', body(1024 * 1024));
  expect(large.json()).toMatchObject({ error: { code: 'payload_too_large', status: 413 } });
  const fits = await post('/api/v1/sessions', body(1000 * 1024));
  expect(fits.json()).toMatchObject({ error: { details: { field: 'description' } } });
});

test.each([
  ['text/plain', {}],
  ['application/x-www-form-urlencoded', {}],
  ['multipart/form-data; boundary=x', {}],
  ['application/json; charset=utf-16', {}],
  ['application/jsonp', {}],
  [';;;', {}],
  ['application/json', { 'content-encoding': 'gzip' }],
] as const)('[H9] a body of type %s %o is refused', async (type, headers) => {
  const answer = await appRig().post('/api/v1/sessions', '{"name":"abc"}', {
    'content-type': type,
    ...headers,
  });
  expect(answer.json()).toMatchObject({ error: { code: 'unsupported_media_type', status: 415 } });
});

test.each(['application/json;charset=UTF-8', 'Application/JSON', 'application/merge-patch+json'])(
  '[H9] a body of type %s is read',
  async (type) => {
    const answer = await appRig().post('/api/v1/sessions', '{"name":"abc"}', {
      'content-type': type,
    });
    expect(answer.statusCode).toBe(503);
  },
);

test.each([
  ['a repeated field', '?limit=1&limit=2', 'limit'],
  ['an unknown field', '?colour=red', 'colour'],
  ['a prototype', '?__proto__=1', '__proto__'],
  ['a badly encoded value', '?name=%zz', 'name'],
  ['a value that is not UTF-8', '?name=%ff', 'name'],
  ['a NUL', '?name=a%00b', 'name'],
  ['a limit that is not a number', '?limit=1e1', 'limit'],
  ['a limit that is too small', '?limit=0', 'limit'],
  ['a limit that is too large', '?limit=201', 'limit'],
  ['an unknown status', '?status=READY', 'status'],
  ['a field without a value', '?cursor', 'cursor'],
  ['a flag that is neither true nor false', '?archived=yes', 'archived'],
] as const)('[H9] a query with %s is refused, and the field is named', async (_, query, field) => {
  const answer = await appRig().get(`/api/v1/sessions${query}`);
  expect(answer.json()).toMatchObject({ error: { status: 400, details: { field } } });
});

test('a query may use any of the usual encodings', async () => {
  const { get } = appRig();
  const fine = ['?', '?&', '?name=a+b&&limit=5', '?name=%E3%81%82', '?archived=true', '?name=a=b'];
  for (const query of fine) expect((await get(`/api/v1/sessions${query}`)).statusCode).toBe(503);
});

test.each(['not-a-uuid', '%00', 'x'.repeat(1500), '..%2f..%2fetc', '%F0%9F%92%A9'])(
  '[H9] the id %s is refused',
  async (id) => {
    const answer = await appRig().get(`/api/v1/sessions/${id}`);
    expect(answer.json()).toMatchObject({ error: { status: 400, details: { field: 'id' } } });
  },
);

test('long input is truncated when an error quotes it', async () => {
  const { post, get } = appRig();
  const name = 'n'.repeat(500_000);
  for (const answer of [
    await post('/api/v1/sessions', `{"name":"abc","${name}":1}`),
    await get(`/api/v1/sessions?${'q'.repeat(9000)}=1`),
  ]) {
    expect(answer.statusCode).toBe(400);
    expect(answer.body.length).toBeLessThan(2000);
  }
});

test.each([
  ['empty', ''],
  ['two words', 'a b'],
  ['too long', 'k'.repeat(201)],
  ['not ASCII', 'schl\u00fcssel'],
])('[Q10] an Idempotency-Key that is %s is refused', async (_, key) => {
  const answer = await appRig().post(`${SESSION}/messages`, '{"message":"hi"}', {
    'idempotency-key': key,
  });
  expect(answer.json()).toMatchObject({
    error: { status: 400, details: { field: 'Idempotency-Key' } },
  });
});

test('an operation without a body accepts no body, or an empty object', async () => {
  const { ask, post } = appRig();
  const url = `${SESSION}/complete`;
  const plain = await ask({ method: 'POST', url });
  const form = await post(url, '', { 'content-type': 'application/x-www-form-urlencoded' });
  const object = await post(url, '{}');
  expect([plain, form, object].map(({ statusCode }) => statusCode)).toEqual([503, 503, 503]);
  expect((await post(url, '{"a":1}')).json()).toMatchObject({
    error: { status: 400, details: { field: 'body' } },
  });
});
