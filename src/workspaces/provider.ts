import type { WorkspaceProviderName, WorkspaceSpec } from '../contract/session.ts';

/*
 * The port behind workspaces. `ensure` is idempotent; `observe` throws rather than say "none" when
 * it cannot tell. More of it (start, stop, exec, attach, list, watch) comes with the providers that
 * need it.
 */

export interface WorkspaceRequest {
  readonly sessionId: string;
  readonly spec: WorkspaceSpec;
}

export interface Workspace {
  readonly path: string;
}

/** Said to the person as it is: what, why and what to do. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
}

export interface WorkspaceProvider {
  readonly name: WorkspaceProviderName;
  /** Lies on one machine, so that its session must run there (Q23). */
  readonly local: boolean;
  /** Makes it if it is not there. Throws a WorkspaceError. */
  ensure(request: WorkspaceRequest): Promise<Workspace>;
  observe(request: WorkspaceRequest): Promise<'ready' | 'missing'>;
  /** Removes what `ensure` made, and nothing that was there before. */
  delete(request: WorkspaceRequest): Promise<void>;
}
