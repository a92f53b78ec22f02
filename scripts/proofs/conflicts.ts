/**
 * Where the sources contradict each other, or themselves, and what was decided. Requirements refer
 * to a conflict by its number in this list, starting with 1.
 */
export const CONFLICTS: readonly (readonly [conflict: string, decision: string])[] = [
  [
    'How often to retry: 3 times (scheduler), 5 times (queue), 3 times for remote calls (sync)',
    'The limit is a number of executions: 3 for agents, 5 for other types of run, 3 for remote calls. Delays double from 1 s up to 60 s, plus random jitter of up to half the delay',
  ],
  [
    'Every error is retried (queue), the class decides (scheduler), or 4xx is never retried (sync)',
    'Classes decide. An unknown error is retried; an invalid payload or unknown type fails immediately',
  ],
  [
    'Running jobs are queued again after a crash, but a push is never retried (scheduler)',
    'Calls are logged before they are answered. A run that may have done something unsafe to repeat fails as `interrupted_unsafe`, and a person may retry it',
  ],
  [
    'Retries sleep in place (sync), or go back to the queue (queue)',
    'Runs go back to the queue; only short HTTP calls are repeated in place',
  ],
  [
    'The designs name the states of a run differently',
    'There is one complete set of states. The API also shows the five names of the web design as `status`',
  ],
  [
    'The designs define different session states (state, sync)',
    'There is one set of six states with one table of transitions. Being archived is not a state',
  ],
  [
    'Which database to use: SQLite, PostgreSQL, MongoDB or memory',
    'One port has three implementations that pass the same tests',
  ],
  [
    'Queues and permits are in memory (scheduler), or no state is in memory (web)',
    'The claim in the database is the source of truth and enforces the cap; memory holds only hints',
  ],
  [
    'Claims do not preserve the order of a session (web), but must (scheduler)',
    'A lane has room for only one run that has begun, and a retry stays at the head',
  ],
  [
    'A job is marked as dequeued before its permit is taken (scheduler)',
    'The permit is taken first',
  ],
  [
    'Nothing protects against a worker that has lost its lease (web)',
    'Every write carries a fence',
  ],
  [
    'An interrupted run continues after its last event, or fails (web)',
    'The numbering continues, and `run.restarted` marks the new attempt',
  ],
  [
    'The status cannot be set (sync), but nothing else ends a session',
    'Setting the status is still a 403; there are actions such as complete and terminate',
  ],
  [
    'Deleting returns 204 (sync), archives the session (scheduler), removes orphans (state), or keeps data for audits (scheduler)',
    'An orphan is terminated and kept. Deleting removes a session unless a label protects it. Archiving is separate',
  ],
  [
    'The timer starts when sockets close (state), but there are sessions without sockets (scheduler)',
    'The timer starts when nobody is connected and no run is unfinished. When it expires, resources are released, but the history is kept',
  ],
  [
    'Stopped workspaces are started (sync), but people and timers stop them',
    'A workspace has a desired state, and is started only if it should be running',
  ],
  [
    'Connections are restored (state), but sockets close when their process exits',
    'A connection is a row that belongs to its node. After a restart, the number of open connections is correct, and the idle timer starts',
  ],
  [
    'Updates are asynchronous, but also transactions (state)',
    'Transitions are transactions; only the time of the last activity may be batched',
  ],
  [
    'A session that cannot be restored becomes an error, or is cleaned up (state)',
    'It becomes an error if its state is unknown, and is cleaned up if it is proven to be gone',
  ],
  [
    'Whether a workspace name contains the session’s id or only its name, and whether it may have 63 or 32 characters',
    'A workspace name consists of a prefix, the session’s name and 8 digits of its id, shortened to what the provider allows',
  ],
  [
    'There is one fixed template, but requests name one (sync)',
    'The template named in a request is ignored with a warning, and the real one is returned',
  ],
  [
    'Intervals are fixed (sync)',
    'Intervals can be configured; the defaults are those of the design',
  ],
  [
    'The breaker has a reset time that is not defined anywhere (sync)',
    'The breaker stays open for 60 s, then allows one probe. Its count is reset after 120 s without a failure',
  ],
  [
    'Tool policies have keys that allow duplicates, defaults that deny everything, and undefined sets (scheduler)',
    'There is one row for each scope, with rules for each channel. Deny overrides allow within a scope, and the sets are defined',
  ],
  [
    'The patterns for masking miss some keys, and one of them hides ordinary ids (scheduler)',
    'Private keys are masked whole, other patterns are exact, and the broad one is a setting. Text is masked before it is stored, but the agent gets the original',
  ],
  [
    'The designs differ in paths and in the spelling of fields',
    'Every documented route works. Those under `/api/v1` are the main ones, and the others are aliases',
  ],
  [
    'The agent’s session id is the key, but it changes after a run (scheduler)',
    'Baton has its own id and stores the agent’s alongside it',
  ],
  [
    'No table contains idempotency keys, cache-write tokens, users or attempts',
    'They are stored, and a key is unique within its session',
  ],
  ['Whether `done` is stored (web)', 'It is stored in the transaction that ends the run'],
];
