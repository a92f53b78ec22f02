import { built, notPlanned, notYet, partly, type Requirements } from './requirement.ts';

export const QUEUE: Requirements = {
  R001: built('scheduler §1.1', 'Q1', 'A session’s messages run in order, one at a time'),
  R002: built(
    'scheduler §1.2',
    'Q2',
    'A cap on the number of agent processes across the whole service',
  ),
  R003: built('scheduler §1.3', 'Q7 Q20 Q22', 'Queued work continues after a kill or a restart'),
  R004: built(
    'scheduler §2, §4.2',
    'Q18 Q22',
    'The queue is a table; memory holds a queue for each session, rebuilt on startup',
    'claims read the database, and memory holds only hints (conflict 8)',
  ),
  R005: built(
    'scheduler §4.2',
    'Q1 Q2',
    'A scheduling step skips busy sessions and takes the oldest job if a permit is free',
  ),
  R006: built(
    'scheduler §2, §4.2',
    'Q2 Q8',
    'The permit is taken before a job starts and returned when it ends, which unlocks the session',
  ),
  R007: built('scheduler §4.1', 'Q1', 'Fetching jobs returns at most one job per session'),
  R008: built(
    'scheduler §4.1-4.2',
    'Q8 Q18',
    'Store operations: enqueue, fetch, mark as dequeued, running or finished, and recover stale jobs',
  ),
  R009: built('web §15', 'Q6 Q9 Q18', 'Queue port: enqueue, claim, renew the lease and cancel'),
  R010: built(
    'web §15',
    'E1 Q18',
    'Event port: append events, and list those after a sequence number',
  ),
  R011: built(
    'queue 基本コンセプト, 差し替え',
    'Q18',
    'The queue is a port whose implementations are interchangeable',
  ),
  R012: built(
    'queue データ構造, 方針固定',
    'Q18',
    'Queues hold only ids; a single map of records is the source of truth',
  ),
  R013: built(
    'queue データ構造',
    'Q18',
    'In memory: records, a ready queue, a schedule ordered by time, and a notification',
  ),
  R014: built('queue 不変条件', 'Q3', 'A scheduled retry does not become ready before it is due'),
  R015: built('queue 不変条件', 'Q18', 'Enqueueing a task or changing the schedule wakes workers'),
  R016: built('queue タスク表現', 'Q17', 'Handlers are registered by type and receive the payload'),
  R017: built(
    'queue タスク表現',
    'Q17',
    'A task is a type with a JSON payload',
    'the content type is not stored, because it is always JSON',
  ),
  R018: built(
    'queue 実行モデル',
    'Q14 Q15 Q17',
    'A worker takes a task, finds its handler, runs it and reports; the queue decides on retries',
  ),
  R019: built(
    'queue 非同期方針, 推奨フロー',
    'Q6',
    'No lock is held while a handler runs',
    'no transaction is open while a handler runs',
  ),
  R020: built(
    'queue 非同期方針',
    'Q6',
    'Blocking work is isolated',
    'threads renew the lease and write to the embedded database, so a blocked node loses nothing',
  ),
  R021: built('queue 非同期方針', 'Q9 Q20', 'A cancelled task is never left in the running state'),
  R022: built('queue 将来構想', 'A1 Q17', 'Agents can be handlers, because tasks are data'),
  R023: notPlanned(
    'queue やらないこと',
    '',
    'Not in the first version: several processes, one task at a time per key, leases, storage of dead tasks, priorities and dependency graphs',
    'Baton has the first four; priorities and dependency graphs are not planned',
  ),
  R024: built(
    'queue 未決定1',
    'Q2',
    'Left open: the number of workers, and limits',
    'decided: there is a cap for the cluster, one for each worker and one for each user',
  ),
};

export const RUNS: Requirements = {
  R025: built(
    'scheduler §3.2',
    'Q8',
    'States of a job: queued, dequeued, running, succeeded, failed, cancelled',
  ),
  R026: built(
    'scheduler §3.2',
    'A5 Q8',
    'A running job has a record of its agent process, and its result or error is stored',
  ),
  R027: built('web §5.1', 'H8', 'Statuses of a run: queued, running, completed, failed, cancelled'),
  R028: built(
    'queue TaskState',
    'Q8',
    'States of a task: queued, running, succeeded, retry scheduled, dead',
  ),
  R029: built('queue リトライ仕様', 'Q8', 'A dead task never runs again'),
  R030: built(
    'queue TaskRecord',
    'Q14 Q19',
    'The record of a task: its state, attempts and their limit, last error and next start time',
  ),
};

export const RETRIES: Requirements = {
  R031: built(
    'scheduler §8.1',
    'Q14',
    'Prompts get 3 attempts, with delays that double from 1 s up to 60 s',
  ),
  R032: built(
    'scheduler §8.1',
    'Q15',
    'Timeouts, crashes and network errors are retried; invalid tools, denied permissions and cancelled prompts are not',
  ),
  R033: built(
    'scheduler §8.1',
    'Q16',
    'Retries depend on the tools used: never after a push, always after reading, and after writing only with a diff',
  ),
  R034: built('scheduler §4.3', 'A8 Q15', 'A timeout or an abnormal exit is a failure'),
  R035: built(
    'queue リトライ仕様',
    'Q14 Q15',
    'Tasks get 5 attempts, with delays; the policy is replaceable; every error is retried',
    'error classes decide which errors are retried (conflict 2)',
  ),
  R036: built('queue スコープ', 'Q14', 'A retry goes back to the queue; nothing sleeps in place'),
  R037: built(
    'queue 未決定2-3',
    'Q14',
    'Left open: what counts as an attempt, and the delays',
    'decided: attempts are executions, including the first one (conflict 1)',
  ),
  R038: built(
    'queue 未決定7-8',
    'Q15 Q17 Q22',
    'Left open: permanent errors and duplicate executions',
    'decided: permanent errors fail immediately; a run is executed at least once, and its executions never overlap',
  ),
  R039: notYet(
    'sync リトライ機能',
    'W4',
    'Remote calls: a 5xx is retried 3 times with growing, jittered delays; a 4xx is never retried',
  ),
  R040: notYet(
    'sync 回路ブレーカー, ログ',
    'W4',
    'Each operation has a circuit breaker, which opens for 60 s after 5 failures',
  ),
};

export const LEASES: Requirements = {
  R041: built(
    'web §6.1',
    'Q1 Q6 Q7',
    'A claim is one transaction over queued runs and runs whose lease has expired',
    'a node has one lease for all its runs; the runs of a dead node are queued again first',
  ),
  R042: built('web §6.2', 'Q6 Q9', 'Workers periodically renew leases and check for cancellation'),
  R043: built('web §9.3', 'Q7', 'After a crash the lease expires, and another worker continues'),
  R044: built(
    'web §6.3',
    'E1 Q7 Q16',
    'A repeated execution continues the numbering of events, or the run fails',
    'it continues, and logs `run.restarted` (conflict 12)',
  ),
  R045: built('web §9.4', 'C2 Q16', 'A run that cannot continue fails, and the page says so'),
  R046: built(
    'web §4',
    'E1 E3 Q9',
    'No run state is kept in memory: the log, cancellation and lease are in the database',
  ),
  R047: built(
    'scheduler §3.2, §5.1-5.2',
    'Q7 Q8',
    'On startup, interrupted jobs are queued again if they are old enough',
    'an expired lease, or proof that the process is dead, is used instead of the age',
  ),
  R048: built(
    'scheduler §5.3',
    'Q10 Q16',
    'Recovery does not repeat a job whose process had already finished',
  ),
  R049: built('scheduler §5.4', 'Q2', 'After a restart, only the database knows what is running'),
  R050: built(
    'queue 未決定5',
    'Q20',
    'Left open: what happens to running tasks on shutdown',
    'decided: they get a grace period, and then another node continues them',
  ),
  R051: notPlanned(
    'web §2',
    '',
    'Resuming in the middle of a model call, and replacing a workflow engine',
  ),
};

export const EXECUTION: Requirements = {
  R052: built(
    'scheduler §4.3',
    'A1 A3 A4 A5',
    'Prepare a directory, start or resume Claude Code, read its JSON, record the process, release the session',
  ),
  R053: built(
    'scheduler §2',
    'A1 E7',
    'The standard output and error of each process are streamed',
  ),
  R054: built(
    'scheduler §3.3',
    'H8 P2',
    'A message has metadata: its origin, user, allowed tools and disallowed tools',
    'origin and user are stored but have no effect, because the credential decides',
  ),
  R055: built('web §6.2', 'E1 Q8', 'A worker logs the start, each event in order, and the end'),
  R056: built('web §9.1-9.2', 'Q9', 'Cancelling sets a flag, and the worker stops'),
};

export const TABLES: Requirements = {
  R057: built(
    'scheduler §3.1, §8.3',
    'A5 S1 S12',
    'A session has a state, a latest response, a cost, labels and an archive time',
  ),
  R058: built(
    'scheduler §3.1',
    'Q8',
    'Prompts are rows that belong to a session and have a status',
  ),
  R059: built(
    'scheduler §3.1, §8.2, §8.4',
    'A5',
    'Each agent process has a record of its exit, duration, tokens, cost, tools and output',
  ),
  R060: notYet('scheduler §3.1', 'C3', 'Sessions are bound to channels such as LINE chats'),
  R061: built(
    'scheduler §8.5',
    'P1',
    'Tool policies are stored per session, per channel or globally',
    'each scope has one row with its whole list of rules (conflict 24)',
  ),
  R062: built(
    'web §5.1',
    'Q6 Q8',
    'Runs are rows with a status, times, an owner, a lease and an error',
    'the lease is in the node’s row',
  ),
  R063: built('web §5.2', 'E1', 'Events are rows with a sequence number, a type and a payload'),
  R064: partly(
    'web §5.3',
    'E1 S1 X5',
    'Sessions, settings, provider credentials and OAuth state are in the database',
    'no settings or OAuth yet',
  ),
  R065: partly(
    'state スキーマ',
    'S1 S3 S4',
    'A session records its project, branch, worktree, environment, container, connections, deadline and activity',
    'no projects, worktrees or containers yet',
  ),
  R066: built('web §6.3', 'E1', 'The key of an event prevents it from being written twice'),
  R067: built(
    'scheduler §2; web §3.2',
    'O3 Q18',
    'SQLite first, PostgreSQL in production, with migrations',
  ),
  R068: built(
    'state リスク',
    'O3 Q5',
    'Schema changes are backward compatible, and indexes suit the updates',
  ),
};
