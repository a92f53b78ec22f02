import type { Texts } from '../en/all.ts';

export const agents: Texts['agents'] = {
  claude: {
    name: 'Claude Code',
    about: '必要なものを読み、書き、実行します。ルールに応じて確認を求めます。',
    modelHelp: 'Claude Codeでの名前。空欄なら既定のモデルです。',
    signIn:
      'サーバーのマシンで、サーバーと同じユーザーとして「claude」を実行してサインインするか、ANTHROPIC_API_KEYを設定してサーバーを起動し直してください。',
  },
  shell: {
    name: 'シェル',
    about: 'メッセージがそのままコマンドになります。アカウントは不要です。',
  },
};
