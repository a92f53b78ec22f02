import { z } from 'zod';
import { DEFAULT_KIND, DRIVEN_KINDS, RESERVED_KINDS } from './agent-kinds.ts';
import { Level } from './level.ts';
import { SESSION_NAME_MAX } from './limits.ts';
import { McpServers } from './mcp-server.ts';
import { HostId, HostName } from './values/ids.ts';
import { Json } from './values/json.ts';
import { Line, Text } from './values/short-text.ts';
import { Time } from './values/time.ts';

export const SessionId = z.uuid('a session id is a UUID');

export const SessionStatus = z.enum([
  'PENDING',
  'ACTIVE',
  'IDLE',
  'ERROR',
  'COMPLETED',
  'TERMINATED',
]);
export type SessionStatus = z.infer<typeof SessionStatus>;

/** How a list of sessions is sorted: newest first, or most recently active first. */
export const SessionOrder = z.enum(['created', 'activity']);
export type SessionOrder = z.infer<typeof SessionOrder>;

/** Why a session has its status. */
export const StatusReason = z.enum([
  'created',
  'ready',
  'message',
  'connected',
  'quiet',
  'idle',
  'asked',
  'orphan',
  'reopened',
  'retried',
  'failed',
]);
export type StatusReason = z.infer<typeof StatusReason>;

/** S9. */
export const SessionName = Line('name', SESSION_NAME_MAX);

const Word = (what: string) =>
  Line(what, 20).refine(
    (word) => !/[,/]/.test(word),
    `a ${what} must not contain commas or slashes`,
  );
export const Tag = Word('tag');
export const Label = Word('label');
const distinct = (values: readonly string[]): string[] => [...new Set(values)];
const Tags = z.array(Tag).max(10, 'at most 10 tags').transform(distinct);
const Labels = z.array(Label).max(10, 'at most 10 labels').transform(distinct);
const Description = Text('description', 500);

export const AgentKind = z.enum([...DRIVEN_KINDS, ...RESERVED_KINDS]);
export type AgentKind = z.infer<typeof AgentKind>;
/** A name that begins like a flag could be read as one by the agent's program. */
const Model = z
  .string()
  .max(100)
  .regex(/^[\p{L}\p{N}]/u, 'a model begins with a letter or a digit');
export const AgentSpec = z.strictObject({
  kind: AgentKind.default(DEFAULT_KIND),
  model: Model.optional(),
  /** The model used while the chosen one is overloaded or unavailable. */
  fallbackModel: Model.optional(),
  command: z.array(z.string().min(1).max(4096)).min(1).max(100).optional(),
  /** How many times Claude Code may call the model in one run. */
  maxTurns: z.int().min(1).max(10_000).optional(),
  /** Appended to the agent's own system prompt. */
  systemPrompt: z.string().min(1).max(100_000).optional(),
  /** MCP servers by name, in the format of Claude Code's `mcpServers`. */
  mcpServers: McpServers.optional(),
  /** Loads the hooks, settings and MCP servers that the repository itself contains (A12). */
  trusted: z.boolean().optional(),
});
export type AgentSpec = z.output<typeof AgentSpec>;

/**
 * Every relative name in a command is judged from the workspace's path, so the time for that grows
 * with the path's depth.
 */
const DEPTH_MAX = 255;
/** Whether a workspace may have this absolute path. */
export const isShallow = (path: string): boolean => path.split('/').length <= DEPTH_MAX + 1;

export const WorkspaceProviderName = z.enum(['directory', 'worktree', 'container', 'coder']);
export type WorkspaceProviderName = z.infer<typeof WorkspaceProviderName>;
export const WorkspaceSpec = z.strictObject({
  provider: WorkspaceProviderName.default('directory'),
  /** Absolute. Without a path, a new directory is created in the data directory. */
  path: z
    .string()
    .max(4096)
    .regex(/^\/[^\0]*$/, 'a path must be absolute')
    .refine(isShallow, `a path may go through at most ${DEPTH_MAX} folders`)
    .optional(),
  repository: z.string().min(1).max(4096).optional(),
  baseBranch: z.string().min(1).max(200).optional(),
  image: z.string().min(1).max(500).optional(),
});
export type WorkspaceSpec = z.output<typeof WorkspaceSpec>;

/**
 * `host` is the id or name of the host where the workspace is or will be created. If several hosts
 * have workers, `host` is required for a `path`; by default, a new directory may be created on
 * any host.
 */
const NewWorkspace = WorkspaceSpec.extend({ host: HostId.optional() });

export const Isolation = z.enum(['auto', 'none', 'bwrap', 'container']);
export type Isolation = z.infer<typeof Isolation>;

export const IDLE_TIMEOUT_DEFAULT_S = 1800;
/** 0 turns the timer off. The maximum is one year. */
const IdleTimeout = z.int().min(0).max(31_536_000);
const Budget = z.number().min(0).max(1_000_000);

export const CreateSession = z.strictObject({
  name: SessionName,
  description: Description.default(''),
  tags: Tags.default([]),
  labels: Labels.default([]),
  agent: AgentSpec.default({ kind: DEFAULT_KIND }),
  workspace: NewWorkspace.default({ provider: 'directory' }),
  isolation: Isolation.default('auto'),
  idleTimeoutSeconds: IdleTimeout.default(IDLE_TIMEOUT_DEFAULT_S),
  budgetUsd: Budget.nullable().default(null),
  holdOnFailure: z.boolean().default(true),
});
export type CreateSession = z.output<typeof CreateSession>;

/** Fields that are left out stay as they are. */
export const UpdateSession = z.strictObject({
  name: SessionName.optional(),
  description: Description.optional(),
  tags: Tags.optional(),
  labels: Labels.optional(),
  idleTimeoutSeconds: IdleTimeout.optional(),
  budgetUsd: Budget.nullable().optional(),
  holdOnFailure: z.boolean().optional(),
});
export type UpdateSession = z.output<typeof UpdateSession>;

export const ForkSession = z.strictObject({
  name: SessionName,
  description: Description.optional(),
});
export type ForkSession = z.output<typeof ForkSession>;

export const MoveSession = z.strictObject({
  /** The new host, by id or name. The workspace must already be there. */
  host: HostId,
});
export type MoveSession = z.output<typeof MoveSession>;

/** A session as the API shows it (SPEC §12). */
export const Session = z.object({
  id: SessionId,
  name: z.string(),
  description: z.string(),
  status: SessionStatus,
  /**
   * Why the session has this status. If the status is ERROR, `error` is a human-readable
   * explanation.
   */
  statusReason: StatusReason,
  error: z.string().nullable(),
  tags: z.array(z.string()),
  labels: z.array(z.string()),
  ownerId: z.string(),
  /** The caller's access: can view, can operate, or owns it (an admin owns all sessions). */
  level: Level,
  agent: AgentSpec,
  workspace: WorkspaceSpec.extend({ path: z.string().nullable() }),
  isolation: Isolation,
  templateConfig: Json,
  idleTimeoutSeconds: z.int(),
  budgetUsd: z.number().nullable(),
  holdOnFailure: z.boolean(),
  /** No run starts until the session is resumed. */
  held: z.boolean(),
  /**
   * The host that has the session's workspace, once known, and whether that host has no live worker
   * (Q23).
   */
  host: HostId.nullable(),
  hostName: HostName.nullable(),
  hostAway: z.boolean(),
  /**
   * The time until which the run in progress is waiting, either for its next attempt or for a usage
   * limit to reset.
   */
  delayedUntil: Time.nullable(),
  activeConnections: z.int(),
  /** The number of runs that have not ended. */
  unfinishedRuns: z.int(),
  /** The number of questions from the session's agent that have not been answered. */
  openQuestions: z.int(),
  lastSeq: z.int(),
  destroyAt: Time.nullable(),
  /** The last message, or the last start or end of an agent process. Reading is not activity. */
  lastActiveAt: Time,
  /** When an agent process last exited, and so may have left new output to read. */
  lastOutputAt: Time.nullable(),
  lastResponse: z.string().nullable(),
  costUsd: z.number(),
  forkedFrom: SessionId.nullable(),
  archivedAt: Time.nullable(),
  createdAt: Time,
  updatedAt: Time,
});
export type Session = z.infer<typeof Session>;

export const SessionAction = z.enum([
  'complete',
  'terminate',
  'reopen',
  'archive',
  'retry',
  'hold',
  'resume',
]);
export type SessionAction = z.infer<typeof SessionAction>;
