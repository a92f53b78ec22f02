/*
 * Texts with secrets and how they must be masked, and texts that must not change. Tokens are
 * assembled at run time, so no file in the repository contains one that looks live.
 */

export interface SecretText {
  readonly what: string;
  /** The part that must not appear anywhere. */
  readonly secret: string;
  readonly text: string;
  readonly masked: string;
}

/** Pseudo-random characters that are always the same. */
function characters(length: number, alphabet: string): string {
  let state = length;
  return Array.from({ length }, () => {
    state = (state * 48_271 + 11) % 2_147_483_647;
    return alphabet[state % alphabet.length];
  }).join('');
}
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LETTERS = CAPITALS + CAPITALS.toLowerCase();
const DIGITS = '0123456789';
const word = (length: number): string => characters(length, LETTERS + DIGITS);
const base64 = (length: number): string => characters(length, `${LETTERS + DIGITS}+/`);
const hex = (length: number): string => characters(length, `${DIGITS}abcdef`);

const github = `ghp${'_'}${word(36)}`;
const anthropic = `sk-${'ant'}-api03-${word(40)}-${word(40)}_${word(11)}AA`;
const aws = `AK${'IA'}${characters(16, CAPITALS + DIGITS)}`;
const jwt = `ey${'J'}hbGciOiJIUzI1NiJ9.ey${'J'}${word(60)}.${word(43)}`;
const line = `${base64(156)}wd${'1O/w1cDnyil'}FU=`;
const keyBody = Array.from({ length: 20 }, (_, i) => base64(64 - (i % 2))).join('\n');
const pem = (label: string): string =>
  `-----BEGIN ${label}-----\n${keyBody}\n-----END ${label}-----`;

/** The secret alone, with the mask of its type. */
const alone = (what: string, secret: string, mask: string): SecretText => ({
  what,
  secret,
  text: secret,
  masked: mask,
});
/** The secret within a text, where `{}` stands for it. */
const within = (what: string, secret: string, text: string, mask = '***MASKED***'): SecretText => ({
  what,
  secret,
  text: text.replace('{}', () => secret),
  masked: text.replace('{}', () => mask),
});

export const SECRETS: readonly SecretText[] = [
  alone('GitHub', github, '***GITHUB_TOKEN***'),
  ...['gho', 'ghu', 'ghs', 'ghr'].map((kind) =>
    alone(`GitHub ${kind}`, `${kind}_${word(36)}`, '***GITHUB_TOKEN***'),
  ),
  alone(
    'GitHub, of an app',
    `ghs${'_'}${word(30)}.${word(80)}-${word(40)}.${word(43)}`,
    '***GITHUB_TOKEN***',
  ),
  alone('GitHub, fine-grained', `github${'_pat_'}${word(22)}_${word(59)}`, '***GITHUB_TOKEN***'),
  within('GitHub, at the end of a sentence', github, 'Use {}.', '***GITHUB_TOKEN***'),
  within('GitHub, inside a word', github, 'aaaa{}', '***GITHUB_TOKEN***'),
  within('GitHub, in a variable', github, 'export GITHUB_TOKEN={}\n', '***GITHUB_TOKEN***'),
  within(
    'GitHub, in a URL',
    github,
    'https://x-access-token:{}@github.com/a/b.git',
    '***GITHUB_TOKEN***',
  ),
  within(
    'GitHub, as the name in a URL',
    github,
    'https://{}:***MASKED***@github.com/a/b.git',
    '***GITHUB_TOKEN***',
  ),
  within('GitHub, in escaped JSON', github, '{\\"out\\":\\"a\\n{}\\n\\"}', '***GITHUB_TOKEN***'),
  within('GitHub, coloured', github, '\u001b[32m{}\u001b[0m', '***GITHUB_TOKEN***'),

  alone('Anthropic', anthropic, '***ANTHROPIC_KEY***'),
  alone('Anthropic, of a person', `sk-${'ant'}-oat01-${word(60)}`, '***ANTHROPIC_KEY***'),
  alone('Anthropic, short', `sk-${'ant'}-${word(12)}`, '***ANTHROPIC_KEY***'),
  within('Anthropic, in a variable', anthropic, 'ANTHROPIC_API_KEY="{}"', '***ANTHROPIC_KEY***'),
  within('Anthropic, in a header', anthropic, 'x-api-key: {}\r\n', '***ANTHROPIC_KEY***'),

  alone('OpenAI', `sk-${word(48)}`, '***OPENAI_KEY***'),
  alone('OpenAI, of a project', `sk-${'proj'}-${word(60)}_${word(60)}`, '***OPENAI_KEY***'),
  alone('OpenAI, of a service', `sk-${'svcacct'}-${word(60)}`, '***OPENAI_KEY***'),

  alone('AWS', aws, '***AWS_ACCESS_KEY***'),
  alone('AWS, temporary', `AS${'IA'}${characters(16, CAPITALS + DIGITS)}`, '***AWS_ACCESS_KEY***'),
  within('AWS, its secret', base64(40), 'aws_secret_access_key = {}\nregion = x\n'),

  alone('Slack', `xox${'b'}-${characters(12, DIGITS)}-${word(24)}`, '***SLACK_TOKEN***'),
  alone(
    'Slack, of an app',
    `xapp${'-'}1-${word(10)}-${characters(13, DIGITS)}-${hex(64)}`,
    '***SLACK_TOKEN***',
  ),
  alone('LINE, long-lived', line, '***LINE_TOKEN***'),
  within('LINE, in a text', line, 'token of the channel {} as of now', '***LINE_TOKEN***'),
  within('LINE, its secret', hex(32), 'LINE_CHANNEL_SECRET={}\n'),
  within('LINE, in a variable', line, 'LINE_CHANNEL_ACCESS_TOKEN={}\n'),

  alone('GitLab', `glpat${'-'}${word(20)}`, '***GITLAB_TOKEN***'),
  alone('Google', `AI${'za'}${word(35)}`, '***GOOGLE_KEY***'),
  alone('Stripe', `sk${'_live_'}${word(24)}`, '***STRIPE_KEY***'),
  alone('Baton', `baton${'_admin_'}${word(43)}`, '***BATON_TOKEN***'),
  alone('JWT', jwt, '***JWT***'),
  alone('npm', `npm${'_'}${word(36)}`, '***NPM_TOKEN***'),
  within('npm, in .npmrc', word(36), '//registry.npmjs.org/:_authToken={}\n'),
  alone('PyPI', `pypi${'-'}AgEIcHlwaS5vcmc${word(60)}`, '***PYPI_TOKEN***'),
  alone('Hugging Face', `hf${'_'}${word(34)}`, '***HUGGING_FACE_TOKEN***'),
  alone('SendGrid', `SG${'.'}${word(22)}.${word(43)}`, '***SENDGRID_KEY***'),
  alone('Google, of a person', `ya29${'.'}a0${word(40)}_${word(40)}`, '***GOOGLE_TOKEN***'),
  alone('Google, of a client', `GOCSPX${'-'}${word(28)}`, '***GOOGLE_KEY***'),
  ...['dop', 'doo', 'dor'].map((kind) =>
    alone(`DigitalOcean ${kind}`, `${kind}_v1_${hex(64)}`, '***DIGITALOCEAN_TOKEN***'),
  ),
  alone('GitLab, of a runner', `glrt${'-'}${word(20)}`, '***GITLAB_TOKEN***'),
  alone('GitLab, of a runner, new', `glrt${'-'}t1_${word(24)}.01.${word(9)}`, '***GITLAB_TOKEN***'),
  alone('GitLab, of a deployment', `gldt${'-'}${word(20)}`, '***GITLAB_TOKEN***'),
  alone('Stripe, of a webhook', `whsec${'_'}${word(32)}`, '***WEBHOOK_SECRET***'),
  alone('Stripe, for tests', `sk${'_test_'}${word(24)}`, '***STRIPE_KEY***'),
  within(
    'Slack, a webhook',
    `hooks.slack.com/services/T${word(9)}/B${word(9)}/${word(24)}`,
    'curl -d x https://{}',
    '***SLACK_WEBHOOK***',
  ),
  within(
    'Discord, a webhook',
    `discord.com/api/webhooks/${characters(18, DIGITS)}/${word(40)}-${word(27)}`,
    'url: https://{}\n',
    '***DISCORD_WEBHOOK***',
  ),
  within(
    'Azure, of an account',
    `${base64(86)}==`,
    'AccountName=me;AccountKey={};EndpointSuffix=core.windows.net',
  ),
  within('Azure, shared access', `${base64(43)}=`, 'SharedAccessKeyName=a;SharedAccessKey={};b=c'),
  within(
    'Azure, a signed URL',
    `${word(41)}%3D`,
    'https://a.blob.core.windows.net/c?sv=2024-11-04&sp=r&sig={}&se=2026',
  ),
  within('.netrc', 'hunter2', 'machine api.example.com login me password {}\n'),
  within('.netrc, over lines', 'swordfish', 'machine a.example\n  login me\n  password {}\n'),
  within('.netrc, with an account', 'hunter2', 'machine a login me account us password {}'),
  within('.netrc, of all', 'hunter2', 'default login me password {}'),
  within('.pgpass', 'hunter2', 'db.example:5432:app:me:{}\n'),
  within('.pgpass, of any', 'a#b:c', '*:*:*:me:{}\nother.example:5433:x:y:***MASKED***'),
  within('.pgpass, being written', 'hunter2', "echo 'localhost:5432:*:me:{}' > ~/.pgpass"),
  within('Docker', btoa('me:hunter2'), '{"auths": {"registry.example": {"auth": "{}"}}}'),
  within('Docker, long', btoa(`AWS:${word(400)}`), '{"auth":"{}"}'),
  within('npm, in .npmrc, basic', btoa('me:hunter2'), '//registry.example/:_auth={}\n'),
  within('curl', 'hunter2', 'curl -u me:{} https://a.example/'),
  within('curl, attached', 'hunter2', 'curl -sS -ume:{} https://a.example/'),
  within('curl, in quotes', 'hunter 2', 'curl --user "me:{}" https://a.example/'),
  within('curl, among other options', 'hunter2', 'curl -sSu me:{} https://a.example/'),
  within('curl, with many flags', 'hunter2', 'curl -fsSLu me:{} https://a.example/'),
  within('curl, over lines', 'hunter2', 'curl -X POST \\\n  -u me:{} https://a.example/'),
  within('curl, behind a query', 'hunter2', 'curl "https://a.example/?a=1&b=2" -u me:{}'),
  within('curl, of a proxy', 'hunter2', "curl https://a.example/ --proxy-user='me:{}'"),
  within('name and value, in JSON', 'hunter2', '[{"name":"DB_PASSWORD","value":"{}"}]'),
  within('name and value, spaced', 'abc123def', '{ "Name": "API_TOKEN",\n  "Value": "{}" }'),
  within(
    'name and value, escaped',
    'hunter2',
    '"{\\"name\\":\\"DB_PASSWORD\\",\\"value\\":\\"{}\\"}"',
  ),
  within('name and value, in YAML', 'swordfish', '- name: DB_PASSWORD\n  value: {}\n'),
  within('name and value, in XML', 'hunter2', '<add key="DbPassword" value="{}" />'),
  within(
    'YAML, a block',
    'first line!\n    second line',
    'db:\n  password: |\n    {}\n  user: me\n',
  ),
  within('YAML, a folded block', 'hunter2\n\n  more of it', 'password: >-\n  {}\nuser: me\n'),
  within('YAML, a block with a comment', 'hunter2', 'password: | # mine\n  {}\nuser: me\n'),
  within(
    'YAML, a block with empty lines',
    'hunter2\n  b',
    'password: |-\n\n  \r\n  {}\nuser: me\n',
  ),
  within('YAML, a block at the end', 'hunter2', 'secret: |2\n  {}'),
  within('XML', 'hunter2', '<server><id>a</id><password>{}</password></server>'),
  within('XML, with a prefix', 'a&amp;b1', '<ns:clientSecret type="x">{}</ns:clientSecret>'),
  within('Baton, its cookie', word(43), 'Cookie: a=b; baton_session={}; c=d'),
  within('Baton, its cookie over TLS', word(43), 'set-cookie: __Host-baton_session={}; Path=/'),
  within('Baton, a sign-in link', word(43), 'http://127.0.0.1:8080/sign-in?code={}\n'),
  within('Baton, a sign-in link with more', word(43), '/sign-in?x=1&code={}&next=/\n'),
  within('Baton, a page key', word(43), 'X-Baton-Page-Key: {}\r\n'),
  within('Baton, a page key in a page', word(43), '<p data-page-key="{}" data-user-id="x">'),
  within('Baton, a page key in storage', word(43), "setItem('baton.page-key', '{}')"),
  within('Baton, a page key in code', word(43), '{"pageKey":"{}"}'),
  within('Baton, a ticket', word(43), 'GET /api/v1/sessions/x/stream?after=7&ticket={} 101'),
  within('Baton, a ticket in JSON', word(43), '{\\"ticket\\": \\"{}\\"}'),
  within('Baton, its key', `${base64(43)}=`, 'BATON_SECRET_KEY={}\n'),

  within('bearer', word(40), 'Authorization: Bearer {}'),
  within('bearer, of three parts', jwt, 'curl -H "Authorization: Bearer {}" https://a.example/'),
  within('bearer, short', 'abc.def', 'authorization: bearer {}.'),
  within('bearer, a word', 'swordfish', 'It sent Bearer {} and failed.'),
  within('bearer, in a sentence', `${word(8)}.${word(8)}`, 'It sent Bearer {} and failed.'),
  within('basic', 'dXNlcjpwYXNz', 'Authorization: Basic {}\r\nAccept: */*'),

  alone('private key', pem('PRIVATE KEY'), '***PRIVATE_KEY***'),
  alone('private key, RSA', pem('RSA PRIVATE KEY'), '***PRIVATE_KEY***'),
  alone('private key, OpenSSH', pem('OPENSSH PRIVATE KEY'), '***PRIVATE_KEY***'),
  alone('private key, PGP', pem('PGP PRIVATE KEY BLOCK'), '***PRIVATE_KEY***'),
  within(
    'private key, in JSON',
    pem('PRIVATE KEY').replaceAll('\n', '\\n'),
    '{"private_key": "{}\\n"}',
    '***PRIVATE_KEY***',
  ),
  within(
    'private key, with line numbers',
    pem('EC PRIVATE KEY').replaceAll('\n', '\n  2→'),
    'cat key\n{}\nend',
    '***PRIVATE_KEY***',
  ),
  within(
    'private key, cut off',
    `-----BEGIN PRIVATE KEY-----\n${keyBody}`,
    'cat key\n{}',
    '***PRIVATE_KEY***',
  ),

  within(
    'password, in a URL, with its first character as a number',
    '%40dmin123',
    'postgres://me:{}@db/x',
  ),
  within('password, in a variable', 'hunter2', 'export PASSWORD={} # mine'),
  within('password, with signs', 'a(b,c]d#e$f', 'DB_PASSWORD={}\nDB_USER=me'),
  within('password, a plain word', 'secret', 'password={}'),
  within('password, aligned', 'hunter2secret9', 'password             = "{}"\n'),
  within('password, aligned, bare', 'hunter2secret9', 'db_password                    = {}\n'),
  within('password, with a bracket', 'abc(def123456', 'password={}\nuser=me'),
  within('password, in a list', 'hunter2', '{"password":["{}"]}'),
  within('password, in a list of two', 'hunter2", "sword", "fish', '{"password": ["{}"], "id": 7}'),
  within('password, in a list over lines', "a1',\n  'b2", "password: [\n  '{}'\n]\n"),
  within('password, in a query', 'hunter2', 'https://a.example/?user=me&password={}&page=2'),
  within('password, in a connection', 'hunter2', 'Server=db;Password={};Timeout=5'),
  within('password, in JSON', 'hunter2', '{"user":"me","password":"{}","id":7}'),
  within('password, in JSON, spaced', 'correct horse battery', '{ "password" : "{}" }'),
  within('password, with a quote in it', 'hun\\"ter2', '{"password":"{}"}'),
  within('password, in escaped JSON', 'hunter2', '"{\\"password\\":\\"{}\\"}"'),
  within('password, in code', 'hunter2', "const dbPassword = '{}';"),
  within('password, in a hash', 'hunter2', ":password => '{}',"),
  within('password, in YAML', 'hunter2', 'db:\n  password: {}\n  user: me\n'),
  within('password, in YAML, a word', 'swordfish', 'db:\n  password: {}\n  user: me\n'),
  within('password, digits', '123456', 'password: {}\n'),
  within('password, with a type', 'hunter2', 'def login(password: str = "{}"):'),
  within('password, with a type of code', 'hunter2', "const dbPassword: string = '{}';"),
  within('token, with a type of two', 'abc123def', 'let token?: string | null = "{}";'),
  within('password, of bytes', 'hunter2', "password = b'{}'"),
  within('password, as it is', 'hun\\ter2', 'password=r"{}"'),
  within('password, raw bytes', 'hunter2', '{"password": Rb"{}"}'),
  within('password, in three quotes', 'a "b"\n  c', 'password = """{}"""\nuser = "me"\n'),
  within('password, in three others', 'hunter2', "password = '''{}''' # mine"),
  within('password, as a flag', 'hunter2', 'mysql --password {} -u me'),
  within('password, in a flag', 'hunter2', 'mysql --password={} -u me'),
  {
    what: 'token and password, in a URL',
    secret: github,
    text: `https://${github}:x-oauth-basic@github.com/a/b.git`,
    masked: 'https://***GITHUB_TOKEN***:***MASKED***@github.com/a/b.git',
  },
  within('password, in a URL', 'hunter2', 'postgres://me:{}@db.example:5432/app'),
  within('password, in a URL, with an at sign', 'p@ssw0rd', 'postgres://bob:{}@db/app'),
  within('password, in a URL, with a slash', 'pa/ss@w0rd', 'postgres://bob:{}@db/app'),
  within('password, in a URL, with both', 'p@ss/w@rd', 'postgres://bob:{}@db/app'),
  within('password, in a URL, among others', 'p@ss/word', 'postgres://a@h/x,postgres://b:{}@h/y'),
  within('password, in a URL, with a driver', 'pa/ss@w0rd', 'postgresql+asyncpg://bob:{}@db/app'),
  within('password, in a URL, with a long name', 'pa/ss', 'mssql+pyodbc-2.0://sa:{}@db/app'),
  within('password, in a URL of SQL Server', 'p/w0rd', 'SQLSERVER://sa:{}@db:1433'),
  within('password, in a URL, with a dollar', '$ecret!9', 'https://bob:{}@a.example/'),
  within('password, in a URL, long', word(290), 'https://bob:{}@a.example/'),
  within('password, with a type by reference', 'hunter2', 'let password: &str = "{}";'),
  within('passphrase', 'opensesame', 'PASSPHRASE="{}"'),
  within('secret', 's3cr3t-value', 'client_secret: "{}"'),
  within('token, in a query', 'abc123def', '/ws?token={}&after=7'),
  within('token, in a URL', hex(40), 'https://{}@git.example/a.git'),
  within('API key', word(32), 'apiKey: "{}",'),
];

const uuid = '018f6e2a-7c1b-7d3e-9a4f-2b1c0d9e8f7a';

/** Texts that only resemble secrets. */
export const HARMLESS: readonly string[] = [
  '',
  'the password is required',
  'Password: required\n',
  'Reset your password: instructions follow',
  'The bearer of bad news; Bearer authentication; a bearer token, Bearer <token>, bearer certificates',
  'パスワードは必須です。password: 必須です',
  `session ${uuid} run ${uuid}`,
  `{"sessionId":"${uuid}","runId":"${uuid}"}`,
  `commit ${hex(40)}\nsha256:${hex(64)}`,
  `${hex(40).toUpperCase()} ${characters(20, CAPITALS)}`,
  '{"input_tokens": 1500, "output_tokens": 20, "max_tokens":4096, "token": 1500}',
  'total_token=1500 tokens=20',
  `data:image/png;base64,${base64(4000)}==`,
  `${base64(171)}=`,
  'PWD=/home/me/project\nOLDPWD=/home/me',
  '/run/secrets/password: /etc/app/token-store.json',
  'password_file=/run/secrets/db',
  'password = getPassword()',
  'const token = await fetchToken(user);',
  'token = tokens[i]; secret = config.secret; password=args.password)',
  'password: string;\ntoken?: string | null;\napiKey: String!',
  'if (password == null || token === undefined) throw new Error("no password");',
  `password=$\{DB_PASSWORD} TOKEN=$TOKEN secret="{{ secret }}" password=<password> password=%s`,
  'PASSWORD=$(cat file)',
  'TOKEN="$(gh auth token)" DB_PASSWORD="x$(curl -s a.example | sh)" SECRET=x$(id) npm test',
  '"password": "", "token": null, "secret": "string"',
  'std::token::Type and token::parse(x)',
  'PASSWORD_MIN_LENGTH=8\ntoken_type=Bearer\npasswordHash: abc123',
  'https://a.example:8080/b@c ssh://git@github.com/a/b http://[::1]:80/ user@a.example',
  'the task-ant-colony-optimisation and disk-usage-of-everything, risk-free',
  'linuxapp-some-very-long-name-of-a-thing',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----',
  '---------------- -- --- a -- b --no-password --token-file x',
  'ghp_short sk-short AKIA AKIASHORT xoxb- eyJhbGciOiJIUzI1NiJ9 Bearer',
  '***IMPORTANT*** *** ** ****',
  'fix: token: refresh2',
  'http://localhost:3000@foo http://127.0.0.1:8080@1.2.3',
  'npm_config_registry npm_lifecycle_event pypi-server hf_hub_download SG.x ya29 whsec_ glrt-',
  'https://hooks.slack.com/ https://discord.com/api/webhooks?sig=short&design=a signature=sig',
  'a machine with a login and a password for it; the default login',
  'src/app.ts:12:5:error:unused 10:5432:x and localhost:5432:5432',
  'big.log:12345:ERROR:module:message',
  '"auth": "oauth2", "auth": "c29tZXRoaW5n", auth: required',
  'https://bob:$TOKEN@a.example/ https://$USER:$PASSWORD@a.example/ redis://a:6379/0@b',
  'see https://redis.example:http/a@b git+ssh://bob:x/y@z',
  'docker run -u 1000:1000 image; curl -fsSL a:b; chown -u me:me; git push -u origin main',
  'curl -u "$USER:$PASSWORD" https://a.example/ && curl --user me https://a.example/',
  '{"name":"PORT","value":"8080abc"} - name: token_type\n  value: bearer1\n',
  'password: |\nuser: me\n',
  'description: |\n  the password is long\n',
  'List<Token> parse(x); <Token>text here</Token> <password></password> <token>refresh</token>',
  'const x = a < password && b > 3 ? y : z</p>',
  'connect(password=getpass("Your key?"), token=get(a, b))',
  '{"password": {"type": "string", "description": "The password of the user"}}',
  '/sign-in?code= baton_session= sign-in?next=/a /callback?code=short',
  'pageKey: "settings", page-key=home, {"ticket": "ABC-1234"} the ticket: see above, ?ticket=',
  'def login(password: str = ask(), token: str = "", other: str = "plain text"):',
  'password = """""" + b"" + r""',
];
