import { built, notYet, partly, type Requirements } from './requirement.ts';

export const SESSIONS: Requirements = {
  R069: built('state REQ-004-001', 'S1', 'Every change of a session’s state is stored'),
  R070: built('state REQ-004-002', 'S3', 'The number of connections is stored whenever it changes'),
  R071: built('state REQ-004-003', 'S4', 'The deadline is stored when the timer is set'),
  R072: built(
    'state REQ-004-004',
    'S4 S6',
    'Sessions are restored on startup',
    'nothing has to be loaded, because no state is kept in memory',
  ),
  R073: built('state REQ-004-005', 'S4', 'Timers continue from the stored deadlines'),
  R074: notYet('state REQ-004-006/007', 'S6', 'Orphans are detected and cleaned up on startup'),
  R075: built('state REQ-004-008', 'S1', 'Every transition is logged'),
  R076: built(
    'state NFR-004-001',
    'S6',
    'Sessions are restored within 10 s',
    'nothing has to be loaded; the first pass reads only what is due',
  ),
  R077: built('state NFR-004-002', 'S1', 'State updates are transactions'),
  R078: built(
    'state NFR-004-003',
    'S11',
    'Frequent state updates cost less than 10%',
    'measured by `npm run bench -- api`',
  ),
  R079: built('state 設計決定4', 'S1', 'States: connected, idle with a timer, error, terminated'),
  R080: built(
    'state 状態復元',
    'S1 S6',
    'Connected and idle sessions are restored; if one of them fails, it becomes an error and the others continue',
  ),
  R081: partly(
    'state 設計決定1-2',
    'S1 S7',
    'Updates are asynchronous; memory and the database are compared every 5 minutes',
    'updates are transactions (conflict 18); nothing is compared periodically yet',
  ),
  R082: partly(
    'state 設計決定3',
    'S1 S6',
    'If a session cannot be restored, it is cleaned up instead',
    'the session goes to ERROR (conflict 19); sessions that are proven to be gone are not cleaned up yet',
  ),
  R083: partly(
    'state 影響',
    'S3',
    'Agent and terminal sockets update the state',
    'no terminals yet',
  ),
  R084: built(
    'state シナリオ1',
    'S3 S4 S6',
    'Running sessions survive a restart',
    'connections are counted again as clients reconnect (conflict 17)',
  ),
  R085: built('state シナリオ2', 'S3', 'Connecting and disconnecting change the stored number'),
  R086: built(
    'state シナリオ3',
    'S4',
    'A 30-minute timer that is interrupted by a restart after 15 minutes ends the session 15 minutes later',
  ),
  R087: notYet(
    'state シナリオ4',
    'S6 W7',
    'After a crash, the orphan is found, and its worktree is deleted if so configured',
  ),
  R088: notYet(
    'state シナリオ5',
    'S7',
    'Differences between the database and memory are detected, reported and repaired',
  ),
  R089: partly(
    'state 検証方法',
    'S1 S3 S4 S6',
    'Tests of states, restoration, timers, orphans and errors, for different kinds of restarts',
    'no tests of orphans yet',
  ),
  R090: built(
    'sync 状態管理',
    'S1',
    'A session is pending at first, active once its workspace is ready, and finally completed or terminated',
  ),
  R091: built('sync 状態管理, API', 'S2', 'Setting the status is refused with 403'),
  R092: notYet(
    'scheduler §8.3',
    'P5',
    'Sessions are archived after 30 days and deleted after 365, unless a label protects them',
  ),
  R093: built(
    'queue 未決定6',
    'Q21',
    'Left open: when finished tasks are removed',
    'decided: seven days after they end',
  ),
};

export const WORKSPACES: Requirements = {
  R094: built(
    'sync 目的',
    'S1 W1',
    'Each session gets a workspace automatically, and their states match',
    'the workspace is a directory',
  ),
  R095: built(
    'sync',
    'S1 W2',
    'New sessions are checked every 30 s: the workspace is found or created, then the session is activated',
    'there is a pass every second, and an immediate one for a new session',
  ),
  R096: notYet(
    'sync',
    'W2 W3',
    'Active sessions are checked every 60 s, and stopped workspaces are started',
  ),
  R097: notYet(
    'sync アーキテクチャの変更点',
    'W2 W5',
    'The provider’s API is the source of truth for workspaces',
  ),
  R098: notYet(
    'sync テンプレート',
    'W5',
    'There is one fixed template, which is checked on startup',
  ),
  R099: notYet(
    'sync 名前生成',
    'W5',
    'A workspace name consists of a prefix and a cleaned-up name, with at most 63 characters',
  ),
  R100: notYet('sync 作成プロセス1', 'W5', 'Workspace names contain the session’s id'),
  R101: notYet('sync 監視ポイント', 'W5', 'The provider’s token is renewed every 24 h'),
  R102: built(
    'sync 障害耐性, ログ',
    'S6 W2',
    'A failing session does not stop the monitoring of the others',
  ),
};
