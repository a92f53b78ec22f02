import { built, notYet, partly, type Requirements } from './requirement.ts';

export const API: Requirements = {
  R103: built(
    'scheduler §6-7',
    'H1 H2 H3 H8',
    'Routes to create, list and read sessions, send messages and stream events',
  ),
  R104: built(
    'scheduler §8.2-8.3',
    'H8 S12',
    'Routes to read a session’s cost and to archive the session',
  ),
  R105: built('scheduler §7', 'H7', 'Health checks, and metrics for Prometheus'),
  R106: partly(
    'scheduler §7 E',
    'H9 X1',
    'Authorisation and limits for LINE and the web',
    'LINE is not built yet',
  ),
  R107: built('sync', 'H1', 'Create, list, read, change and delete sessions'),
  R108: built('sync', 'H1', 'Find sessions by status, name or tag'),
  R109: built('sync', 'S2', 'Changing the status is refused with 403'),
  R110: built('sync', 'H1 W6', 'List the workspaces of a session, and synchronise its status'),
  R111: built('sync', 'W6', 'The format of a synchronised status'),
  R112: notYet('sync', 'H5', 'Workspace routes: list, create, start, stop, delete and templates'),
  R113: built('sync', 'H1', 'The format of a session', '`templateConfig` is null'),
  R114: built(
    'sync',
    'H1',
    'The format of a workspace',
    'status and health are derived from the session; the directory is not checked',
  ),
  R115: partly(
    'sync テスト',
    'H1',
    'Examples of creating a session and a workspace',
    'only for sessions',
  ),
  R116: built('web §7.1', 'H8', 'Start, read and cancel a run under `/api/runs`'),
  R117: built(
    'web §7.2',
    'E2 H8',
    'The events of a run until `done`, resumable with `Last-Event-ID`',
  ),
  R118: built(
    'web §8',
    'E1 E2',
    'Streams poll the database; notifications may be lost',
    'each node polls once for all its streams',
  ),
  R119: built('web §7.3, §13', 'H8', 'The old chat route stays, and sessions move to the database'),
  R120: notYet('web §3.2, §10.1', 'H8 H10', 'Routes for settings and sign-in, and OAuth callbacks'),
};

export const SECURITY: Requirements = {
  R121: built(
    'scheduler §8.5',
    'P2',
    'Each channel has defaults: LINE may read, the web may write, and the command line may do everything',
    'LINE has its default rules, but does not exist as a channel yet',
  ),
  R122: built(
    'scheduler §8.5',
    'P1 P3',
    'Rules are checked when a message is sent: first those of the session, then those of the channel, then global rules and defaults',
  ),
  R123: built('scheduler §8.4', 'P4', 'Tokens, keys and private keys are masked'),
  R124: built('scheduler §8.4', 'E8 P4', 'Masking covers prompts, output, events and metrics'),
  R125: notYet(
    'scheduler §8.4',
    'X5',
    'Later: keys in a secret manager, and end-to-end encryption',
    'end-to-end encryption is not planned',
  ),
  R126: notYet(
    'web §10',
    'H10 X5',
    'OAuth state is in the database and is used once, on whichever node receives the callback',
  ),
  R127: notYet(
    'web §10.1',
    'X5',
    'Loopback callbacks are allowed only in the development profile, public ones only in production',
  ),
  R128: partly(
    'web §16.1',
    'Q23 W1',
    'Sessions have separate directories, which stay with a worker and are eventually cleaned up',
    'directories are removed with their session, not by age',
  ),
  R129: notYet(
    'web §16.2',
    'X6',
    'The operating system isolates agents, and there is no raw Bash by default',
  ),
  R130: built(
    'web §16.3',
    'A10',
    'Secrets are resolved outside the run, which receives only what it needs',
  ),
  R131: partly(
    'web §16.4',
    'X3',
    'Settings, credentials, runs, sessions and sandboxes belong to a user',
    'no settings, provider credentials or sandboxes yet',
  ),
};

export const OPERATING: Requirements = {
  R132: built('scheduler §8.2', 'A5', 'Cost and tokens are read from the agent’s JSON output'),
  R133: notYet(
    'scheduler §8.2',
    'A5',
    'Later: compare the cost with receipts, and warn if they differ by 5% or more',
  ),
  R134: partly(
    'scheduler §1.6, §4.4',
    'A5 E2 E5',
    'Run starts, completions, failures and costs are pushed to streams and sockets',
    'LINE is not supported yet',
  ),
  R135: built(
    'queue 観測',
    'Q19',
    'Read a task’s state, attempts, error and next start time, and the counts of tasks',
  ),
  R136: built(
    'queue 観測',
    'E2 H2',
    'Later: subscribe to transitions, and list tasks by state, in pages',
  ),
  R137: built('queue ログ', 'O4', 'Structured log lines for each transition of a task'),
  R138: partly(
    'sync ログ',
    'O4',
    'Log levels, and named messages about monitoring, sessions, workspaces, the circuit breaker and the token',
    'no messages about the circuit breaker or the token yet',
  ),
  R139: partly(
    'sync 監視ポイント',
    'O4',
    'Monitor passes, the circuit breaker, retries, remote calls, tokens, failures, slow preparation and leftovers',
    'nothing about remote providers yet',
  ),
  R140: partly(
    'sync パフォーマンス監視',
    'O4',
    'Measure preparation, passes, API latency, workspaces per session and the pool',
    'workspaces per session are not measured',
  ),
  R141: partly(
    'sync 設定',
    'O1',
    'Settings for addresses, the provider, template, prefix, scheduler and ports',
    'no settings for remote providers yet, and no second port',
  ),
  R142: built(
    'queue 未決定4',
    'Q3 Q6',
    'Left open: monotonic or wall-clock times',
    'decided: epoch times from the database’s clock',
  ),
};

export const WEB: Requirements = {
  R143: built(
    'web §3.2, §13',
    'C2 E2 E3',
    'The page lists sessions, lets users chat and cancel, and resumes its stream where it broke off',
  ),
  R144: partly(
    'sync keruta-admin',
    'C2',
    'Screens to manage sessions and workspaces',
    'no workspaces yet',
  ),
  R145: built(
    'web §9.4; state E2E',
    'C2 S5',
    'Failed runs are shown as such; ended sessions can be used again from the browser',
  ),
};

export const DEPLOYMENT: Requirements = {
  R146: partly(
    'web §1.3, §11-12',
    'O2',
    'A Compose file, no cloud services, the same setup everywhere, and at least one worker',
    'no Compose file yet',
  ),
  R147: built(
    'web §14.1-3',
    'E3 Q7 Q22',
    'Accepted if all API nodes show the same, results survive restarts, and reconnecting loses nothing',
  ),
  R148: partly(
    'web §14.4-6',
    'C2 E3 X2',
    'Accepted if no settings, credentials or OAuth state are in a node’s memory',
    'no settings or OAuth yet',
  ),
  R149: built(
    'sync 同期テスト',
    'H1 S1',
    'Accepted if a new session is active within 30 s and lists its workspace',
  ),
  R150: partly(
    'scheduler §7; web §13',
    'A5 E2 H7 H9 Q7 Q18',
    'Milestones: store, queue and health; worker; streams; recovery and cost; access; and OAuth',
    'no OAuth yet',
  ),
};
