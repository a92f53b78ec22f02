import type { ForkPoint } from '../agents/driver.ts';
import type { ShareLevel } from '../contract/access.ts';
import type { Json } from '../contract/json.ts';
import type { Standing } from '../contract/message.ts';
import type {
  AgentSpec,
  Isolation,
  SessionStatus,
  StatusReason,
  WorkspaceSpec,
} from '../contract/session.ts';

/** A session's row. Times are epoch milliseconds on the database's clock. */
export interface SessionRecord {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly labels: readonly string[];
  readonly agent: AgentSpec;
  /** Of who configured the agent: by it what the agent starts is judged. */
  readonly agentStanding: Standing;
  readonly workspace: WorkspaceSpec;
  /** Where the workspace is, once it was prepared. */
  readonly workspacePath: string | null;
  readonly isolation: Isolation;
  readonly templateConfig: Json;
  readonly idleTimeoutSeconds: number;
  readonly budgetUsd: number | null;
  readonly status: SessionStatus;
  readonly statusReason: StatusReason;
  /** For people, while ERROR. */
  readonly error: string | null;
  /** Since when the workspace is ready. */
  readonly readyAt: number | null;
  readonly destroyAt: number | null;
  readonly lastActiveAt: number;
  /** When an agent's process last ended. */
  readonly lastOutputAt: number | null;
  readonly lastResponse: string | null;
  readonly costUsd: number;
  /** The agent's own name of the conversation, which the next run resumes. */
  readonly conversation: string | null;
  /** Its last message when a run last ended: where a fork of this session begins. */
  readonly conversationHead: string | null;
  /** What a fork's conversation begins as a copy of, until it has one of its own (S10). */
  readonly forkPoint: ForkPoint | null;
  /** What the agent last counted in it; the next turn's usage is the difference (A5). */
  readonly usageBefore: Json;
  readonly forkedFrom: string | null;
  readonly archivedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A session with what its lane, its runs, its connections and its host say at the moment. */
export interface SessionWithFacts {
  readonly session: SessionRecord;
  /** Of a list for somebody: how far it is shared with them. */
  readonly share?: ShareLevel;
  readonly held: boolean;
  readonly holdOnFailure: boolean;
  readonly host: string | null;
  readonly hostAway: boolean;
  /** Its run under way is begun again at this time. */
  readonly delayedUntil: number | null;
  readonly activeConnections: number;
  readonly unfinishedRuns: number;
  /** Of its run under way, that nobody has answered. */
  readonly openQuestions: number;
  readonly lastSeq: number;
}
