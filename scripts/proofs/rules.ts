/** A numbered rule of the specification, in one sentence. */
export interface Rule {
  readonly summary: string;
  /** The parts of the rule that this version does not have. */
  readonly missing?: string;
}

/** What each letter stands for, in the order of the page. */
export const AREAS: Readonly<Record<string, string>> = {
  Q: 'Run queue',
  E: 'Events and streams',
  S: 'Sessions',
  A: 'Agents',
  W: 'Workspaces',
  T: 'Terminals',
  P: 'Policy and secrets',
  H: 'HTTP API',
  X: 'Access',
  C: 'Clients and channels',
  O: 'Operations',
  B: 'Beyond the earlier designs',
};

/** Every rule of the specification by its number. Gaps in the tests are in `gaps.ts`. */
export const RULES: Readonly<Record<string, Rule>> = {
  Q1: {
    summary:
      'The runs of a lane execute in the order they were admitted, at most one at a time across all workers and hosts. The database schema enforces this, not just the code.',
  },
  Q2: {
    summary:
      'The number of agents executing at once is capped for the cluster, for each worker and for each user. Caps are checked within the claim, so two workers can never jointly exceed them.',
  },
  Q3: {
    summary:
      'A retry keeps its place at the head of its lane. A run with a start time joins its lane when it is due, and blocks nothing until then.',
  },
  Q4: {
    summary:
      'Slots are shared fairly among users. However many runs others have queued, a user’s first run waits only for its turn, even when sessions are pinned to hosts.',
  },
  Q5: {
    summary:
      'The cost of a claim stays the same with a million queued runs or ten thousand waiting users.',
  },
  Q6: {
    summary:
      'A node holds a single lease for everything it runs, and every claim issues a fence. A write with an old fence changes nothing, and the worker that sent it stops the agent. No transaction is open while a handler runs.',
  },
  Q7: {
    summary:
      'The runs of a dead node are taken over: immediately if a node on the same host can prove that the process is dead, otherwise when its lease expires. This counts as a crash of the run, and the third crash ends it.',
  },
  Q8: {
    summary:
      'A single transition table without side effects defines the states of a run. Each transition is one transaction that also logs its event. Final states never change.',
  },
  Q9: {
    summary:
      'Cancelling a queued run takes effect immediately. A run that is executing is stopped within seconds, along with everything it started.',
  },
  Q10: {
    summary:
      'A message resent with the same idempotency key returns the same run; if its body differs, it is refused. A run that already has its final result is not executed again.',
  },
  Q11: {
    summary:
      'A message to a busy session is queued, is refused, interrupts the current run, or is handed to the working agent.',
  },
  Q12: {
    summary:
      'Queued runs can be listed, edited, moved and removed. After a failure or a stop, the rest of the lane is held until someone resumes it.',
  },
  Q13: {
    summary:
      'Schedules (a cron expression in a time zone, or a single time) create runs. After missed ticks, a schedule fires once, not once for each tick.',
  },
  Q14: {
    summary:
      'An execution counts towards the limit of attempts unless it was cut short by a crash, a hand-back, parking or an outage. Retries go back to the queue with growing, jittered delays, and nothing sleeps while holding a slot.',
  },
  Q15: {
    summary:
      'Every failure has a class, which determines whether the run is retried, fails, or is parked until a usage limit resets.',
  },
  Q16: {
    summary:
      'Whether an interrupted attempt is repeated depends on what it had done. Reads are repeated, and writes are repeated once their changes have been recorded. If the attempt may have done something that must not happen twice, the run fails as `interrupted_unsafe`.',
  },
  Q17: {
    summary:
      'Handlers are registered by type, with a schema for the payload. Unknown types and invalid payloads are refused, and a worker claims only the types that it handles.',
  },
  Q18: {
    summary:
      'The queue is a port with three implementations (memory, SQLite, PostgreSQL) that pass the same tests. It can be used as a library.',
  },
  Q19: {
    summary:
      'The state of a run, and the number of runs in each state, can be read cheaply however large the backlog is.',
  },
  Q20: {
    summary:
      'A node that is shutting down claims nothing more, gives its agents a grace period, and then hands their runs back. A second signal stops it immediately.',
  },
  Q21: {
    summary:
      'A session’s runs are deleted with it. Other finished runs are purged seven days after they end.',
  },
  Q22: {
    summary:
      'A run is executed at least once, and its executions never overlap. Its final state, and the sequence number of each event, are stored exactly once.',
  },
  Q23: {
    summary:
      'A lane can be pinned to a host. While that host is away, the runs stay queued, the session says so, and an administrator can move the session. A host’s id survives renames, reboots and new containers.',
  },

  E1: {
    summary:
      'Each lane has a single log without gaps, which is the source of truth. Hints may be lost; a lost hint costs one polling interval.',
  },
  E2: {
    summary:
      'Events are streamed over server-sent events or WebSockets: first the stored ones, then new ones, in order and each exactly once. A stream can be resumed from a sequence number. A run’s stream ends with `done`.',
  },
  E3: {
    summary:
      'All API nodes show the same events. A client that reconnects sees each event exactly once, even after processes have been killed.',
  },
  E4: {
    summary:
      'A reader that is too slow is dropped and gets a cursor to resume from. It delays neither the writer nor other readers.',
  },
  E5: {
    summary:
      'Events have fixed types and schemas. Unknown agent output becomes a notice instead of an error. Large results are truncated in the log and kept whole elsewhere.',
    missing:
      'events about terminals, checkpoints, task lists, context use, network questions, budget warnings and receipts',
  },
  E6: {
    summary:
      'Small pieces of text are merged, and may be removed once the final message is stored. Nothing else is removed.',
  },
  E7: {
    summary:
      'Events are stored in batches, and the first event of a batch waits only briefly. While the database is unavailable, a bounded buffer fills up; once it is full, the agent’s output is no longer read.',
  },
  E8: {
    summary: 'Secrets are masked before anything is stored, streamed, logged or exported.',
  },
  E9: {
    summary:
      'A single hint stream reports changes in all sessions that a user can see. Clients reload their list when they connect.',
  },
  E10: {
    summary:
      'The amount of output that a run may store is limited. Beyond the limit, the newest output is kept, the log marks the gap, and the agent continues.',
  },

  S1: {
    summary:
      'A single transition table without side effects defines the six states of a session. Every change is one transaction with one event and one log line.',
  },
  S2: {
    summary: 'Clients cannot set a session’s status (they get a 403); they use actions instead.',
  },
  S3: {
    summary:
      'Connections are rows that expire with their node’s lease, so their number is correct after any crash and across nodes.',
  },
  S4: {
    summary:
      'The idle timer is a time stored in the database, so it survives restarts. When it expires, resources are released and the history is kept.',
    missing: 'removal of the workspace when a session ends',
  },
  S5: {
    summary:
      'A message revives a session that ended automatically. A session that a person ended refuses messages until it is reopened.',
  },
  S6: {
    summary:
      'Sessions and timers are restored on startup. A session that cannot be restored goes to ERROR without holding up the others. Orphans are cleaned up.',
    missing: 'detection of orphans, and terminals that outlive the server',
  },
  S7: {
    summary:
      'Every five minutes, each node compares its own view of the state with the database. Differences are logged and repaired.',
  },
  S8: {
    summary:
      'Only one module changes the state of a session, and the late exit of an old process never ends its successor.',
  },
  S9: {
    summary:
      'Names, descriptions, tags and labels have limits. A name is unique per owner and may be in any script.',
  },
  S10: {
    summary:
      'A fork is a new session whose conversation starts as a copy. The two never write to the same transcript.',
    missing: 'copying the workspace',
  },
  S11: { summary: 'Writing session states reduces throughput by less than a tenth.' },
  S12: {
    summary:
      'Deleting a session cancels its runs, releases its workspace and removes the session. Archiving only hides a session. A protected label prevents deletion.',
  },

  A1: {
    summary:
      'All agents share one small driver port and one run loop. A driver never throws: it reports a failure as its final event.',
    missing: 'the `acp` driver',
  },
  A2: {
    summary:
      'Claude Code runs as the user’s own program with the user’s own login. If it is missing, too old or signed out, the error says how to fix it.',
    missing: 'everything to do with isolated runs',
  },
  A3: {
    summary:
      'A session is one conversation, which is never resumed by two processes at once, even after a crash. A lost conversation is reported.',
    missing: 'the setting for starting over automatically',
  },
  A4: {
    summary:
      'Only a result that is not an error counts as success, whatever the exit code. Every way in which an agent can end has a class.',
  },
  A5: {
    summary:
      'The cost and tokens of each agent process are recorded as increments, and estimated if the process was killed. They are summed by run, session, user, channel and day.',
    missing: 'importing usage receipts',
  },
  A6: {
    summary:
      'Budgets limit what agents may spend. What remains of a budget is passed to the agent, and the run ends when the budget is used up.',
    missing: 'budgets for users, channels and days, the warning at 80%, and notifications',
  },
  A7: {
    summary:
      'An agent’s question is stored and can be answered exactly once, by an authorised user, even after a restart. While the question is open, the run occupies no slot.',
    missing: 'expiry, and answers through LINE',
  },
  A8: {
    summary:
      'A run has a time limit. There is also a limit on how long an agent may be silent while no tool is running.',
  },
  A9: {
    summary:
      'An agent is stopped together with everything it started. However it ends, nothing is left running.',
    missing: 'a guarantee through isolation (a process namespace or a container)',
  },
  A10: { summary: 'An agent sees only the environment variables on an allow-list.' },
  A11: { summary: 'A message can include images and files, which are placed in the workspace.' },
  A12: {
    summary:
      'Sessions can have MCP servers. A repository’s own hooks, settings and servers are loaded only if it is trusted.',
    missing: 'asking for trust on first use (trust is a session setting instead)',
  },
  A13: {
    summary: 'An agent’s process may wait for the next message of its session instead of exiting.',
  },
  A14: {
    summary:
      'Users can use what an agent offers: a model, effort and plan mode for each message, commands and skills, the task list, subagents and context use.',
  },

  W1: {
    summary:
      'Workspace providers share one port. Everything in a workspace happens through the runtime that its provider returns, and one test suite specifies both.',
    missing:
      'the providers `worktree`, `container` and `coder`, and starting, stopping and listing workspaces',
  },
  W2: {
    summary:
      'Workspaces are rows with a desired and an observed state. A reconciler moves each workspace towards its desired state, one step at a time.',
  },
  W3: {
    summary: 'A stopped workspace is started only if Baton wants it running and did not stop it.',
  },
  W4: {
    summary:
      'Whether a remote call is retried depends on the kind of error. A circuit breaker for each server stops calls after repeated failures.',
  },
  W5: {
    summary:
      'Coder workspaces: mandatory settings, a single template, names derived from the session’s name and id, adoption only of Baton’s own workspaces, and token renewal.',
  },
  W6: {
    summary:
      '`sync-status` reconciles a session’s workspace immediately and reports it in the format that the earlier designs define.',
    missing: 'handling of a workspace that has disappeared',
  },
  W7: {
    summary:
      'Each session gets a Git worktree with its own branch. Its changes can be shown, committed and pushed. Unsaved work is never deleted by accident.',
  },
  W8: {
    summary:
      'A trusted repository can define commands that set up and tear down a worktree, and files to copy into it.',
  },
  W9: {
    summary:
      'The state of a workspace is recorded before and after each run. A person can see what changed, and restore the files, the conversation or both.',
  },

  T1: { summary: 'Terminals live in a separate process, which outlives the server.' },
  T2: {
    summary:
      'A client attaches to a terminal at a byte offset, and gets a replay followed by live output. Several browsers see the same bytes.',
  },
  T3: {
    summary: 'A flood of output in one terminal does not slow down the others or use more memory.',
  },
  T4: {
    summary:
      'The terminal API: open a terminal, get a ticket, attach over a WebSocket. Opening a terminal is subject to the same rules as a shell command.',
  },
  T5: { summary: 'Terminals work in containers and Coder workspaces, and through any API node.' },

  P1: {
    summary:
      'Rules in Claude Code’s syntax decide between allow, ask and deny. The narrowest scope wins, except that no scope can override an ask or deny rule that an administrator has enforced. A command is allowed only if all of its parts are.',
    missing:
      'a Bash grammar that splits commands at pipes, lists and wrappers (such commands need approval)',
  },
  P2: {
    summary:
      'Each channel has default rules. What a person does is checked against the rules of the channel that their own credential belongs to. A message may narrow its tools but never widen them.',
  },
  P3: {
    summary:
      'Rules are checked when a message is accepted and again at every tool call. Refusals are logged and counted.',
  },
  P4: {
    summary:
      'Known kinds of secrets are masked in linear time, even if they are split across chunks, without hiding anything that a person has to approve.',
  },
  P5: {
    summary:
      'Old sessions are archived, and later deleted, in a nightly pass. Sessions with a protected label are kept.',
  },
  P6: {
    summary:
      'Every change made by a person or a channel is recorded in an audit log, which can be exported.',
  },
  P7: { summary: 'An agent’s tools may never use Baton’s own files, whatever the rules say.' },

  H1: {
    summary: 'The session routes: create, list, search, change, delete, actions, cost and export.',
    missing: '`unarchive`, `pin` and `unpin`, and the Git routes',
  },
  H2: {
    summary: 'The message and run routes: send, list, change, cancel, retry and count.',
    missing: 'the `model`, `effort` and `mode` of a message',
  },
  H3: {
    summary: 'The stream routes: the events of a session or a run, and hints.',
    missing: 'terminal streams',
  },
  H4: { summary: 'The approval routes: list, read and answer. A second answer is refused.' },
  H5: { summary: 'The workspace routes: list, create, start, stop, delete and templates.' },
  H6: {
    summary: 'The admin routes: policies, users, tokens, the audit log, nodes and statistics.',
    missing: 'settings, budgets, schedules and channels',
  },
  H7: { summary: 'The routes for health, readiness, metrics and the API’s own description.' },
  H8: {
    summary: 'The routes of the earlier designs are thin aliases of Baton’s own.',
    missing: '`/api/settings`',
  },
  H9: {
    summary:
      'Requests are subject to limits. Invalid input is refused with an error that names the field, unknown ids return 404, and no request is ever carried out halfway.',
  },
  H10: { summary: 'The routes for signing in to a provider with OAuth.' },

  X1: {
    summary:
      'Nothing is reachable without a credential, even on loopback, except the health checks, the sign-in page and its assets.',
  },
  X2: {
    summary:
      'Users have roles (viewer, operator, admin), tokens have scopes and an expiry date, and browsers sign in with protected cookies.',
    missing: 'sign-in through OpenID Connect',
  },
  X3: {
    summary:
      'Everything has an owner. To everyone else it does not exist until it is shared with them.',
  },
  X4: {
    summary:
      'The Host and Origin headers are checked. A cookie alone opens only the page; every other request also needs the page key.',
  },
  X5: {
    summary:
      'OAuth state is stored once and used once. Secrets are encrypted with a key from a replaceable provider, and a node with a different key does not start.',
    missing: 'OAuth, and key providers other than the file and the environment variable',
  },
  X6: {
    summary:
      'Agents can be isolated from the system, from each other and from the server’s secrets, independently of approvals.',
  },
  X7: {
    summary:
      'A node forwards requests for anything that exists only on another host, using a short-lived credential that grants no additional rights.',
  },

  C1: {
    summary: 'The command line: commands, exit codes, and output for people and for programs.',
    missing:
      '`attach`, `diff`, `commit`, `push`, `pr`, `terminal`, `schedule`, `keys`, `export`, `backup`, `restore`, and shell completion',
  },
  C2: {
    summary:
      'The web app has sessions, live conversations, approvals, a dashboard and settings, in two languages. It works on phones and by keyboard, and a reload loses nothing.',
    missing: 'terminals, diffs, workspaces and schedules',
  },
  C3: { summary: 'LINE: linked users send messages, receive answers and approve requests.' },
  C4: { summary: 'Outgoing webhooks and web push notifications.' },
  C5: { summary: 'An MCP endpoint through which agents can start and watch sessions.' },

  O1: {
    summary:
      'One command starts a fresh clone, and one command tests it. An installed package works the same way.',
  },
  O2: {
    summary:
      'Roles can run in separate processes that share a PostgreSQL database. An embedded database belongs to one process, and a second process is refused.',
    missing: 'the Compose file and the Kubernetes manifests',
  },
  O3: {
    summary:
      'Migrations only go forward, are the same for both databases, and are safe during a rolling upgrade. A database from a newer version is refused.',
  },
  O4: {
    summary:
      'Structured logs contain the messages that the earlier designs name, and metrics cover everything worth watching.',
    missing:
      'metrics and messages about remote providers: the circuit breaker, retries, tokens and stopped leftovers',
  },
  O5: {
    summary:
      'While the database is unavailable, the API returns 503, streams stay open, and agents continue for the length of the lease. Afterwards, everything resumes automatically.',
  },
  O6: {
    summary: '`baton doctor` checks the machine and says how to fix any problem it finds.',
    missing: 'a check for proxies that buffer streams',
  },
  O7: {
    summary: 'The embedded database can be backed up and restored while the server is running.',
  },

  B1: { summary: 'Adopt Claude Code’s local conversations.' },
  B2: { summary: 'Search all conversations, in any language.' },
  B3: { summary: 'Review a diff with comments, revert parts of it, and follow its pull request.' },
  B4: {
    summary:
      'Answer questions from a phone: an installable page, push notifications, and sign-in by QR code.',
  },
  B5: { summary: 'Start sessions through signed webhooks and code forge events.' },
  B6: { summary: 'Several agent accounts per user, with usage meters.' },
  B7: { summary: 'Preview a development server on its own origin.' },
  B8: { summary: 'Browse, view, mention and upload workspace files.' },
  B9: {
    summary: 'Continue a session in a terminal, and take over a running command-line session.',
  },
  B10: { summary: 'Send one message to several agents and compare the results.' },
  B11: { summary: 'Start Baton with `npx`, and install it as a service.' },
};
