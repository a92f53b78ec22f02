import type { ForkPoint } from '../agents/driver.ts';
import type { ShareLevel } from '../contract/access.ts';
import type { Standing } from '../contract/message.ts';
import type {
  AgentSpec,
  Isolation,
  SessionStatus,
  StatusReason,
  WorkspaceSpec,
} from '../contract/session.ts';
import type { Json } from '../contract/values/json.ts';

/** A session's row. Times are epoch milliseconds on the database's clock. */
export interface SessionRecord {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly labels: readonly string[];
  readonly agent: AgentSpec;
  /**
   * The standing of the person who configured the agent. Everything the agent starts is judged by
   * this standing.
   */
  readonly agentStanding: Standing;
  readonly workspace: WorkspaceSpec;
  /** The workspace's directory; null until it is prepared. */
  readonly workspacePath: string | null;
  readonly isolation: Isolation;
  readonly templateConfig: Json;
  readonly idleTimeoutSeconds: number;
  readonly budgetUsd: number | null;
  readonly status: SessionStatus;
  readonly statusReason: StatusReason;
  /** An explanation for people while the status is ERROR. */
  readonly error: string | null;
  /** When the workspace became ready. */
  readonly readyAt: number | null;
  readonly destroyAt: number | null;
  readonly lastActiveAt: number;
  /** When an agent's process last exited. */
  readonly lastOutputAt: number | null;
  readonly lastResponse: string | null;
  readonly costUsd: number;
  /** The agent's id for the conversation that the next run resumes. */
  readonly conversation: string | null;
  /**
   * The conversation's last message when the last run ended. A fork of this session starts there.
   */
  readonly conversationHead: string | null;
  /**
   * The point from which a fork's conversation is copied, until the fork has a conversation of its
   * own (S10).
   */
  readonly forkPoint: ForkPoint | null;
  /**
   * The agent's last counters for the conversation; the next turn's usage is the difference (A5).
   */
  readonly usageBefore: Json;
  readonly forkedFrom: string | null;
  readonly archivedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A session with the current facts from its lane, runs, connections and host. */
export interface SessionWithFacts {
  readonly session: SessionRecord;
  /** In a list for a user, how the session is shared with them. */
  readonly share?: ShareLevel;
  readonly held: boolean;
  readonly holdOnFailure: boolean;
  readonly host: string | null;
  readonly hostName: string | null;
  readonly hostAway: boolean;
  /** When the next attempt of its current run starts. */
  readonly delayedUntil: number | null;
  readonly activeConnections: number;
  readonly unfinishedRuns: number;
  /** Unanswered questions of its current run. */
  readonly openQuestions: number;
  readonly lastSeq: number;
}
