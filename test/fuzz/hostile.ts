import fc from 'fast-check';

/** Texts that have broken software before. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\udc00x',
    '\u202e\u0000',
    '\ufeff',
    '\r\nSet-Cookie: a=b',
    "'; DROP TABLE sessions; --",
    '" OR 1=1',
    '%',
    '%00',
    '%s%n',
    '_',
    '\\',
    '../../etc/passwd',
    '<script>alert(1)</script>',
    '{{7*7}}',
    '__proto__',
    'constructor',
    'null',
    'NaN',
    '-1',
    '1e999',
    '9'.repeat(400),
    '👩‍👩‍👧‍👦'.repeat(20),
    'あ'.repeat(300),
    'a'.repeat(5000),
    '0190a1b2-0000-7000-8000-000000000000',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
);

/** Unexpected JSON values. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, 0, -1, 0.5, 1e308, -1e308, 2 ** 53, 2 ** 63, [], {}, [[]]),
  fc.constant(JSON.parse('{"__proto__":{"admin":true}}')),
  fc.constant(JSON.parse('{"constructor":{"prototype":{"admin":true}}}')),
  fc.constant(JSON.parse('['.repeat(99) + ']'.repeat(99))),
  fc.constant(JSON.parse('['.repeat(500) + ']'.repeat(500))),
  fc.constant(Array.from({ length: 2000 }, (_, i) => i)),
  fc.dictionary(hostileText, hostileText, { maxKeys: 3, noNullPrototype: true }),
  fc.jsonValue({ maxDepth: 3 }),
);
