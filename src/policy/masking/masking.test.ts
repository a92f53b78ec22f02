import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { casesOf } from '../../../test/support/depth.ts';
import { isBatonError } from '../../contract/errors.ts';
import { HARMLESS, SECRETS } from './corpus.ts';
import { maskCallJson, maskJson } from './json.ts';
import type { Masker } from './masker.ts';
import { createMasker } from './masking.ts';
import { tokenNames } from './token-prefixes.ts';

const masker = createMasker();

const inPieces = (of: Masker, text: string, cuts: readonly number[]): string => {
  const stream = of.stream();
  const places = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])];
  places.sort((a, b) => a - b);
  const shown = places.slice(1).map((end, i) => stream.push(text.slice(places[i], end)));
  return shown.join('') + stream.end();
};

describe('[P4] what is masked', () => {
  test.each(SECRETS)('$what', ({ text, masked, secret }) => {
    expect(masker.mask(text)).toBe(masked);
    expect(masker.mask(`say "${text}" ok`)).not.toContain(secret);
    expect(masker.hasMask(masked)).toBe(true);
  });

  test.each(HARMLESS)('not: %s', (text) => {
    expect(masker.mask(text)).toBe(text);
    expect(masker.hasMask(text)).toBe(false);
  });

  const KEY_LINES = `${'aB3/'.repeat(16)}\n${'Zz9+'.repeat(16)}`;
  test.each([
    ['BEGIN\nThis is prose.\n', 'MASK\nThis is prose.\n'],
    ['# BEGIN\ntouch HIDDEN; false', '# MASK\ntouch HIDDEN; false'],
    ['BEGIN\ntouch HIDDEN\nmore of it\nEND\nrest', 'MASK\ntouch HIDDEN\nmore of it\nEND\nrest'],
    [`BEGIN\n${KEY_LINES}\nThis is prose.`, 'MASK\nThis is prose.'],
    [`BEGIN\n${KEY_LINES}\nabcdefg=\nThis is prose.`, 'MASK\nThis is prose.'],
    [`BEGIN\n${KEY_LINES}\nabc12=\nEND\nThis is prose.`, 'MASK\nThis is prose.'],
    [`BEGIN\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB12\n\n${KEY_LINES}\nEND`, 'MASK'],
    [`BEGIN\nVersion: X 1\n\n${KEY_LINES}\n=aB3d\nEND\nrest`, 'MASK\nrest'],
    [`BEGIN ${KEY_LINES.replace('\n', ' ')} END rest`, 'MASK rest'],
    [`"BEGIN\\n" +\n  "${KEY_LINES.replace('\n', '\\n" +\n  "')}\\n" +\n  "END";`, '"MASK";'],
    [`BEGIN\n${'aB3/xY7+'.repeat(4)}\n`.concat('Zz9+aB3/'.repeat(4), '\nEND rest'), 'MASK rest'],
    [`BEGIN\n${'aB3/xY7+aB3/xY7+\n'.repeat(40)}END rest`, 'MASK rest'],
    [`BEGIN\n  1→${'aB3/xY7+aB3/xY7+\n 20→'.repeat(40)}END rest`, 'MASK rest'],
    [`BEGIN\n${'aB3/xY7+aB3/xY7+\n'.repeat(9)}This is prose.`, 'MASK\nThis is prose.'],
    ['BEGIN\nnameOfAFunctionOrAClass\nof a library, in prose\nEND', null],
    [
      `"BEGIN\\nProc-Type: 4,ENCRYPTED\\nDEK-Info: AES-128-CBC,AB12\\n\\n${KEY_LINES.replace('\n', '\\n')}\\nEND\\n"`,
      '"MASK\\n"',
    ],
    [`BEGIN\nComment: C:\\keys\\mine\n\n${KEY_LINES}\nEND`, 'MASK'],
    [
      `1\tBEGIN\n2\tVersion: X 1\n3\tComment: y\n4\t\n5\t${KEY_LINES.replace('\n', '\n6\t')}\n7\tEND\n8\trest`,
      '1\tMASK\n8\trest',
    ],
    [
      `+BEGIN\n+Proc-Type: 4,ENCRYPTED\n+\n+${KEY_LINES.replace('\n', '\n+')}\n+END\n+rest`,
      '+MASK\n+rest',
    ],
    ['BEGIN\nMIIEowIBAAKCAQEA\naB3/xY7+aB3/xY7+\nEND rest', 'MASK rest'],
    [`BEGIN${'+'.repeat(100)}`, 'MASK'],
    [`BEGIN\nHash: ${'Hash: '.repeat(20)}\n`, null],
  ])('only the lines of a private key are masked: %j', (text, shown) => {
    const written = (each: string): string =>
      each
        .replace('BEGIN', '-----BEGIN PRIVATE KEY-----')
        .replace('END', '-----END PRIVATE KEY-----')
        .replace('MASK', '***PRIVATE_KEY***');
    const whole = written(text);
    const masked = written(shown ?? text.replace('BEGIN', 'MASK'));
    expect(masker.mask(whole)).toBe(masked);
    expect(masker.mask(masked)).toBe(masked);
    for (let cut = 0; cut < whole.length; cut++) {
      expect(inPieces(masker, whole, [cut]), `at ${cut}`).toBe(masked);
    }
  });

  const keyScraps = fc.constantFrom(
    ...[
      '\n',
      '\r\n',
      '\\n',
      '\\\\n',
      '\\',
      ' ',
      '+',
      '=',
      '/',
      '"',
      "'",
      ',',
      ';',
      ')',
      '"+\n"',
      '-',
      '  2→',
    ],
    ...[
      '-----END PRIVATE KEY-----',
      '\n-----END RSA PRIVATE KEY-----',
      '-----END ',
      'PRIVATE KEY-----',
    ],
    ...['Hash: ', '\nHash: x', '\nComment: a\\b', '\\nVersion: 1\\n', '\n\n', 'prose', 'two words'],
    ...[
      'aB3/',
      'aB3/xY7+aB3/xY7+',
      'aB3/'.repeat(8),
      'Zz9+'.repeat(16),
      '\naB3/xY7+aB3/xY7=',
      '==',
    ],
  );
  const anyKey = fc
    .array(
      fc.tuple(keyScraps, fc.constantFrom(1, 1, 1, 2, 7, 40)).map(([each, n]) => each.repeat(n)),
      { maxLength: 14 },
    )
    .map((parts) => `-----BEGIN PRIVATE KEY-----${parts.join('')}`);

  test('a private key is masked in pieces as it is whole, whatever follows its beginning', () => {
    fc.assert(
      fc.property(anyKey, fc.array(fc.nat(), { maxLength: 8 }), (text, cuts) => {
        expect(inPieces(masker, text, cuts)).toBe(masker.mask(text));
      }),
      { numRuns: 3000 },
    );
  });

  test('a value in quotes may have any length', () => {
    const text = `{"password":"${'long secret '.repeat(1000)}","id":7}`;
    expect(masker.mask(text)).toBe('{"password":"***MASKED***","id":7}');
    expect(inPieces(masker, text, [5000, 9000])).toBe('{"password":"***MASKED***","id":7}');
  });

  test('several in one text, and the text between them', () => {
    const text = SECRETS.map((each) => each.text).join('\n---\n');
    const cutOff = SECRETS.findIndex(({ what }) => what === 'private key, cut off');
    const shown = masker.mask(text);
    for (const { masked } of SECRETS.slice(0, cutOff)) expect(shown).toContain(masked);
    for (const { secret } of SECRETS.slice(0, cutOff)) {
      if (secret.length > 12) expect(shown).not.toContain(secret);
    }
  });

  test('docs/masking.md shows every mask', () => {
    const page = readFileSync(new URL('../../../docs/masking.md', import.meta.url), 'utf8');
    for (const name of [...tokenNames, 'MASKED', 'PRIVATE_KEY', 'LINE_TOKEN']) {
      expect(page).toContain(`***${name}***`);
    }
  });

  test('each is reported by name', () => {
    const names: string[] = [];
    const reporting = createMasker({ onMasked: (name) => names.push(name) });
    reporting.mask(`password=hunter2 ${SECRETS[0]!.text}`);
    expect(names).toEqual(['MASKED', 'GITHUB_TOKEN']);
  });
});

describe('[P4] what can be switched on', () => {
  const capitals = 'ABCDEFGHIJ0123456789';

  test('words of 20 capitals and digits', () => {
    const broad = createMasker({ broadCapitals: true });
    expect(broad.mask(`id ${capitals}, ${capitals}A, _${capitals} ${capitals}`)).toBe(
      `id ***AWS_ACCESS_KEY***, ${capitals}A, _${capitals} ***AWS_ACCESS_KEY***`,
    );
  });

  test('custom patterns', () => {
    const patterns = [{ name: 'acme key', source: 'acme-[a-z]{2}-[A-Z0-9]{8,}' }];
    const own = createMasker({ patterns });
    expect(own.mask('acme-eu-ABCD12345, acme-EU-ABCD12345 acme-eu-ABC')).toBe(
      '***ACME_KEY***, acme-EU-ABCD12345 acme-eu-ABC',
    );
    expect(own.hasMask('***ACME_KEY***')).toBe(true);
    expect(masker.hasMask('***ACME_KEY***')).toBe(false);
  });

  test.each([
    ['ab[0-9]+', /begin with at least 3/],
    ['(a|b)+', /begin with at least 3|cannot be parsed/],
    ['abc(d|e)', /cannot be parsed at character 4/],
    ['abc[a-z]+z1', /ambiguous where "\[a-z\]" ends/],
    ['abc[a-z]*-x', /at least once/],
    ['abc[a-z]{9,2}', /counts backwards/],
    ['abc[a-z]{999}', /more than 256/],
    ['abc\\1', /cannot be parsed/],
    ['abc\\*[0-9]{8,}', /"\\\*" matches only \*/],
    ['abc[*]+', /matches only \*/],
  ])('a pattern that could take long, or never matches, is refused: %s', (source, why) => {
    const make = (): Masker => createMasker({ patterns: [{ name: 'x', source }] });
    expect(make).toThrow(why);
    try {
      make();
    } catch (error) {
      expect(isBatonError(error, 'invalid_request')).toBe(true);
    }
  });
});

describe('[P4] pieces', () => {
  const maskers = {
    'as it comes': masker,
    'with everything on': createMasker({
      broadCapitals: true,
      patterns: [{ name: 'acme', source: 'acme-[a-z]{2,4}-[0-9]{4,12}' }],
    }),
  };
  maskers['with everything on'].hide([
    'a-literal-secret',
    'literal-secret-2 and more',
    '"a;b|c`d$e',
  ]);
  const texts = [
    ...SECRETS.map(({ text }) => text),
    ...HARMLESS,
    'acme-eu-1234567890123456 acme-e acme-abcd-1234',
    'ABCDEFGHIJ0123456789 ABCDEFGHIJ0123456789A',
  ];

  describe.each(Object.entries(maskers))('%s', (_, each) => {
    test('every text of the corpus, cut at every place and character by character', () => {
      for (const text of texts) {
        const whole = each.mask(text);
        expect(
          inPieces(
            each,
            text,
            [...text].map((_, i) => i),
          ),
          text,
        ).toBe(whole);
        const step = Math.max(1, Math.floor(text.length / 100));
        for (let cut = 0; cut < text.length; cut += step) {
          expect(inPieces(each, text, [cut]), `${text} at ${cut}`).toBe(whole);
        }
      }
    });

    // Parts of secrets and the text around them, in any order, reveal more than whole secrets.
    const scraps = [
      ...[
        'sk-',
        'sk-ant-',
        'ghp_',
        'Bearer ',
        'bearer',
        '://',
        ':',
        '=',
        '--',
        '-----',
        'AKIA',
        '@',
        '"',
        '\\',
      ],
      ...[
        '-----BEGIN ',
        'PRIVATE KEY-----',
        '-----END ',
        'password',
        'token',
        'Authorization',
        'Basic ',
        '***',
      ],
      ...[
        '***MASKED***',
        ' ',
        '\n',
        '.',
        'a',
        'A1',
        'aB3dE5gH7jK9mN1pQ3sT',
        'eyJ',
        '$',
        '(',
        '1O/w1cDnyilFU=',
      ],
      'ABCDEFGHIJ0123456789',
      'acme-',
      'PWD=/',
      'machine a login b password ',
      'db:5432:a:b:',
      'curl -u a:',
      '<password>',
      '</',
      'password: |\n  ',
      '\n  ',
      '"name":"DB_PASSWORD","value":"',
      'value: ',
      '"auth":"bWU6aHVudGVyMg==',
      '&sig=',
      'baton_session=',
      'password=a(',
      'password: str = ',
      '"""',
      "b'",
      'ticket=',
      'password        ',
      'a-literal-secret',
      'a-literal-',
      'literal-secret-2',
      'token="',
      'secret=ask',
      '<',
      '[',
    ];
    const pieceOfText = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...scraps) },
      { weight: 1, arbitrary: fc.constantFrom(...texts) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 5 }) },
    );
    const anyText = fc.array(pieceOfText, { maxLength: 14 }).map((pieces) => pieces.join(''));

    test('any text, cut anywhere, is masked as if whole', () => {
      fc.assert(
        fc.property(anyText, fc.array(fc.nat(), { maxLength: 8 }), (text, cuts) => {
          expect(inPieces(each, text, cuts)).toBe(each.mask(text));
        }),
        { numRuns: 1500 },
      );
    });

    test('masking a text again changes nothing', () => {
      fc.assert(
        fc.property(anyText, (text) => {
          const once = each.mask(text);
          expect(each.mask(once)).toBe(once);
        }),
        { numRuns: 1500 },
      );
    });
  });

  test('a line comes out with its newline', () => {
    const stream = masker.stream();
    for (const text of HARMLESS.filter((each) => each !== '' && !each.includes('-----'))) {
      expect(stream.push(`${text}\n`)).toBe(`${text}\n`);
    }
    expect(stream.push('half a li')).toBe('half a ');
    expect(stream.push('ne\n')).toBe('line\n');
  });

  test.each(['a', 'A', 'eyJ', 'sk-', '://', ':', '-', 'aB3/', '"', ' ', '\\'])(
    'little text is held back: %s',
    (unit) => {
      const text = `password ${unit.repeat(9000)}`;
      const shown = masker.stream().push(text);
      expect(shown.length + 1024).toBeGreaterThan(masker.mask(text).length);
    },
  );

  test('nothing of a private key is shown while it arrives, whatever its length', () => {
    const stream = masker.stream();
    expect(stream.push('-----BEGIN PRIVATE KEY-----\n')).toBe('***PRIVATE_KEY***');
    for (let i = 0; i < 100; i++) expect(stream.push(`${'A'.repeat(64)}\n`)).toBe('');
    expect(stream.push('-----END PRIVATE KEY-----\nrest\n')).toBe('\nrest\n');
  });
});

describe('[P4] the time is linear', () => {
  const units = [
    ...[
      'a',
      'A',
      '-',
      '--',
      '=',
      ':',
      '"',
      '\\',
      ' ',
      '*',
      '/',
      '.',
      '@',
      '\n',
      '://',
      '://u:',
      '://a@',
      'eyJ',
      'eyJa.',
    ],
    ...[
      'sk-ant-',
      'sk-',
      'ghp_',
      'AKIA',
      'Bearer ',
      'Bearer a.',
      '-----BEGIN',
      '-----BEGIN ',
      '-----END ',
      'xoxb-',
    ],
    ...[
      '-----BEGIN PRIVATE KEY-----',
      'password=',
      'password:',
      'password: ',
      '"password": "',
      '--password ',
    ],
    ...[
      'Authorization: ',
      'Authorization: Bearer ',
      'token="$',
      '>',
      '<password>',
      '<password>a',
      '-u ',
      'curl -u ',
      'curl -u a:',
      'machine a login b password ',
      '*:*:*:a:',
      'password: |\n  a\n',
      'password: |\n',
      '   \n',
      'value: ',
      '"name":"token","value":"',
      '"auth":"',
      '&sig=',
      'password=a(',
      'password=[ ',
      'password          ',
      'hooks.slack.com/services/',
      '1O/w1cDnyilFU=',
      'aB3/'.repeat(30),
    ],
  ];
  const fill = (unit: string, length: number): string =>
    unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  const time = (text: string): number => {
    const start = process.cpuUsage();
    masker.mask(text);
    return process.cpuUsage(start).user / 1000;
  };

  test('16 times as much text does not take quadratic time', { timeout: 120_000 }, () => {
    const length = casesOf([32_768], [8192])[0]!;
    for (const unit of units) {
      const small = time(fill(unit, length));
      const large = time(fill(unit, 16 * length));
      // Linear is 16 times as long, a square 256 times; the margin allows for a busy machine.
      expect(large, JSON.stringify(unit)).toBeLessThan(Math.max(small, 5) * 130);
    }
  });
});

describe('[P4] JSON', () => {
  const { text, masked } = SECRETS[0]!;

  test('every text in a value is masked, names of fields too', () => {
    expect(
      maskJson(masker, { a: [text, { [text]: `x ${text}` }], n: 1, b: true, z: null }),
    ).toEqual({
      a: [masked, { [masked]: `x ${masked}` }],
      n: 1,
      b: true,
      z: null,
    });
  });

  test('fields whose names get the same mask are all shown', () => {
    const names = ['a', 'b', 'c'].map((each) => `ghp${'_'}${each.repeat(36)}`);
    const value = {
      [names[0]!]: 'first',
      '***GITHUB_TOKEN*** (2)': 'given',
      [names[1]!]: 'second',
      [names[2]!]: 'third',
    };
    const shown = {
      '***GITHUB_TOKEN***': 'first',
      '***GITHUB_TOKEN*** (2)': 'given',
      '***GITHUB_TOKEN*** (3)': 'second',
      '***GITHUB_TOKEN*** (4)': 'third',
    };
    for (const mask of [maskJson, maskCallJson]) {
      expect(mask(masker, { env: value })).toEqual({ env: shown });
      expect(mask(masker, { env: shown })).toEqual({ env: shown });
    }
  });

  test('the name of a field says what is secret, as it does in text', () => {
    const value = {
      password: 'hunter2',
      apiKey: text,
      pin: { password: 123456 },
      headers: { authorization: `Bearer ${'x1'.repeat(9)}` },
      input_tokens: 1500,
      token: 1500,
      pwd: '/home/me',
      secret: '',
    };
    const shown = {
      ...value,
      password: '***MASKED***',
      apiKey: masked,
      pin: { password: '***MASKED***' },
      headers: { authorization: 'Bearer ***MASKED***' },
    };
    expect(maskJson(masker, value)).toEqual(shown);
    expect(maskJson(masker, shown)).toEqual(shown);
  });

  test('nothing of a secret field is shown, even if only a part of it looks like a secret', () => {
    const value = {
      password: 'a token=b1c2d3 e',
      deep: { secret: `x ${text}`, text: `x ${text}` },
    };
    const shown = {
      password: '***MASKED***',
      deep: { secret: '***MASKED***', text: `x ${masked}` },
    };
    expect(maskJson(masker, value)).toEqual(shown);
    expect(maskJson(masker, shown)).toEqual(shown);
  });

  test('lists and objects below a secret field are secret, schemas are not', () => {
    const value = {
      password: ['x', { a: 'swordfish' }],
      secret: { current: 's3cr3t-1', name: 'of-the-thing' },
      properties: { password: { type: 'string', description: 'The password of the user' } },
    };
    expect(maskJson(masker, value)).toEqual({
      ...value,
      password: ['***MASKED***', { a: '***MASKED***' }],
      secret: { current: '***MASKED***', name: 'of-the-thing' },
    });
  });

  test('a field may be named by another', () => {
    const env = [
      { name: 'DB_PASSWORD', value: 'hunter2' },
      { Value: 'abc123def', Key: 'API_TOKEN' },
      { name: 'PORT', value: '8080abc' },
    ];
    expect(maskJson(masker, env)).toEqual([
      { name: 'DB_PASSWORD', value: '***MASKED***' },
      { Value: '***MASKED***', Key: 'API_TOKEN' },
      env[2],
    ]);
  });

  test('a field may have any name', () => {
    const value = JSON.parse('{"__proto__": {"a": 1}, "constructor": "x"}');
    expect(JSON.stringify(maskJson(masker, value))).toBe(JSON.stringify(value));
  });
});
