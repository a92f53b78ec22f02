import type { WorkspaceProviderName, WorkspaceSpec } from '../contract/session.ts';
import type { Runtime } from './runtime.ts';

/*
 * The port through which workspaces are created, observed and removed. `ensure` is idempotent. If
 * `observe` cannot find out a workspace's state, it throws instead of reporting "missing".
 */

export interface WorkspaceRequest {
  readonly sessionId: string;
  readonly spec: WorkspaceSpec;
}

/** Its message is shown to people: what happened, why, and what to do. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
}

export interface WorkspaceProvider {
  readonly name: WorkspaceProviderName;
  /** Whether the workspace exists on only one machine, where its session must run (Q23). */
  readonly local: boolean;
  /**
   * Creates the workspace if it is missing. The runtime it returns is the only way to act inside
   * the workspace. Throws a WorkspaceError.
   */
  ensure(request: WorkspaceRequest): Promise<Runtime>;
  observe(request: WorkspaceRequest): Promise<'ready' | 'missing'>;
  /** Removes what `ensure` and the runtime created, and nothing else. */
  delete(request: WorkspaceRequest): Promise<void>;
}
