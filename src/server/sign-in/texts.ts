export type Language = 'en' | 'ja';
export type Failure = 'code' | 'token' | 'input' | 'away' | 'often' | 'key';

interface Words {
  readonly title: string;
  readonly byCode: string;
  readonly byToken: string;
  readonly orToken: string;
  readonly token: string;
  readonly signIn: string;
  readonly signingIn: string;
  readonly failures: Record<Failure, string>;
  /** These strings have `code` in backticks, as in Markdown. */
  readonly refusedHost: Record<'title' | 'why' | 'publicUrl' | 'allowedHosts' | 'restart', string>;
}

export const WORDS: Record<Language, Words> = {
  en: {
    title: 'Sign in to Baton',
    byCode: 'This link signs you in on this browser. It works once.',
    byToken: 'Open the link that the server printed when it started, or paste a token.',
    orToken: 'Use a token instead',
    token: 'Token',
    signIn: 'Sign in',
    signingIn: 'Signing in…',
    failures: {
      code: 'This link was already used or has expired. Ask for a new one, restart the server to print one, or sign in with a token.',
      token: 'This token is not valid. It may have expired or been revoked.',
      input: 'Paste the whole token and nothing else.',
      away: 'The database is not responding. Your link or token is still valid; try again in a moment.',
      often:
        'Too many attempts from this address. Your link or token is still valid; try again in a minute.',
      key: 'This browser still has its sign-in cookie, but not the matching key in this site’s storage. The storage was cleared or is blocked, or Baton was updated after you signed in. Allow this site to store data, then sign in again.',
    },
    refusedHost: {
      title: 'Baton is not set up for this address',
      why: 'The server is running, but it does not know the name in the address bar. It responds only to names it knows, so that other websites cannot reach it through your browser.',
      publicUrl:
        'If everyone uses this address, set `BATON_PUBLIC_URL` to it, starting with `http://` or `https://`.',
      allowedHosts: 'If it is one of several addresses, add its name to `BATON_ALLOWED_HOSTS`:',
      restart: 'Then restart the server.',
    },
  },
  ja: {
    title: 'Batonにサインイン',
    byCode: 'このリンクで、このブラウザーに一度だけサインインできます。',
    byToken: 'サーバーの起動時に表示されたリンクを開くか、受け取ったトークンを貼り付けてください。',
    orToken: 'トークンでサインイン',
    token: 'トークン',
    signIn: 'サインイン',
    signingIn: 'サインインしています…',
    failures: {
      code: 'このリンクは使用済みか、有効期限が切れています。新しいリンクを受け取るか、サーバーを再起動して表示されるリンクを開くか、トークンでサインインしてください。',
      token: 'このトークンは無効です。期限切れか、取り消された可能性があります。',
      input: 'トークン全体だけを貼り付けてください。',
      away: 'データベースが応答していません。リンクやトークンはそのまま使えます。少し待ってからもう一度お試しください。',
      often:
        'このアドレスからの試行回数が多すぎます。リンクやトークンはそのまま使えます。1分ほど待ってからもう一度お試しください。',
      key: 'このブラウザーにはサインイン用のCookieが残っていますが、対になるキーがありません。キーはこのサイトのストレージに保存されます。ストレージが消去またはブロックされたか、サインイン後にBatonが更新された可能性があります。このサイトのデータ保存を許可してから、もう一度サインインしてください。',
    },
    refusedHost: {
      title: 'このアドレスではBatonを利用できません',
      why: 'サーバーは動作していますが、アドレスバーの名前が登録されていません。ほかのWebサイトがブラウザー経由で接続できないように、登録された名前でのアクセスだけを受け付けます。',
      publicUrl:
        '全員がこのアドレスを使う場合は、`http://`または`https://`で始まるこのアドレスを`BATON_PUBLIC_URL`に設定してください。',
      allowedHosts: '複数の名前を使う場合は、この名前を`BATON_ALLOWED_HOSTS`に追加してください。',
      restart: '設定したら、サーバーを再起動してください。',
    },
  },
};

/** The supported language that ranks highest in `Accept-Language`. */
export function languageOf(accepted: string | undefined): Language {
  const preferences = (accepted ?? '')
    .slice(0, 500)
    .split(',')
    .map((preference) => {
      const [tag = '', quality] = preference
        .trim()
        .toLowerCase()
        .split(/\s*;\s*q=/);
      return { tag: tag.split('-', 1)[0], quality: quality === undefined ? 1 : Number(quality) };
    });
  const best = preferences
    .filter(({ tag, quality }) => (tag === 'en' || tag === 'ja') && quality > 0)
    .sort((a, b) => b.quality - a.quality)[0];
  return best?.tag === 'ja' ? 'ja' : 'en';
}
