import type { Rest } from '../en/all.ts';
import { agents } from './agents.ts';
import { dashboard } from './dashboard.ts';
import { detail } from './detail.ts';
import { newSession } from './new-session.ts';
import { settings } from './settings.ts';

/** What the audit log says about each noun. */
const audit: Rest['audit'] = {
  targets: {
    session: 'セッション',
    run: '実行',
    approval: '質問',
    policy: 'ツールのルール',
    user: 'ユーザー',
    token: 'トークン',
    sign_in: 'サインイン',
    system: 'システム全体',
  },
  actions: {
    'session.create': 'セッションを作成',
    'session.update': 'セッションを変更',
    'session.delete': 'セッションを削除',
    'session.complete': 'セッションを完了',
    'session.terminate': 'セッションを強制終了',
    'session.reopen': 'セッションを再開',
    'session.archive': 'セッションをアーカイブ',
    'session.retry': 'ワークスペースの準備をやり直し',
    'session.hold': 'セッションを保留',
    'session.resume': 'セッションの保留を解除',
    'session.fork': 'セッションをフォーク',
    'session.move': 'セッションを別のマシンへ移動',
    'session.share': 'セッションの共有を変更',
    'message.send': 'メッセージを送信',
    'run.edit': '待機中の実行を変更',
    'run.remove': '待機中の実行を削除',
    'run.cancel': '実行をキャンセル',
    'run.retry': '実行をやり直し',
    'approval.decide': '質問に回答',
    'approval.reveal': '質問の伏せられた部分を表示',
    'policy.update': 'ツールのルールを変更',
    'user.create': 'ユーザーを追加',
    'user.update': 'ユーザーを変更',
    'user.sign_in_link': 'サインイン用リンクを作成',
    'user.sign_out': 'ユーザーをサインアウト',
    'token.create': 'トークンを作成',
    'token.revoke': 'トークンを失効',
    'system.stop': 'すべてを停止',
    'system.resume': 'すべてを再開',
    'auth.sign_in': 'サインイン',
    'auth.sign_out': 'サインアウト',
  },
};

export const rest: Rest = { agents, dashboard, detail, newSession, settings, audit };
