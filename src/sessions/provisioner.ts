import { isBatonError } from '../contract/errors.ts';
import type { WorkspaceProviderName } from '../contract/session.ts';
import type { Logger } from '../queue/logger.ts';
import { WorkspaceError, type WorkspaceProvider } from '../workspaces/provider.ts';
import type { Runtime } from '../workspaces/runtime.ts';
import type { SessionWithFacts } from './session-record.ts';
import type { SessionStore } from './session-store.ts';
import { logChanges } from './status-log.ts';

export interface ProvisionerOptions {
  readonly store: Pick<SessionStore, 'changeSession'>;
  readonly providerOf: (name: WorkspaceProviderName) => WorkspaceProvider;
  readonly log: Logger;
  /** This machine's host id; local workspaces are created here (Q23). */
  readonly host: string;
  /** Reports the time from a session's creation to its first ready workspace. */
  readonly onReady?: (seconds: number) => void;
  /** Called when a session goes into ERROR because its workspace could not be prepared. */
  readonly onFailed?: () => void;
}

/** Prepares workspaces; a session becomes ACTIVE only once its workspace is ready (W2). */
export class Provisioner {
  readonly #options: ProvisionerOptions;
  readonly #underWay = new Map<string, Promise<Runtime>>();

  constructor(options: ProvisionerOptions) {
    this.#options = options;
  }

  /**
   * Resolves to the workspace's runtime. On failure, puts the session into ERROR and throws a
   * WorkspaceError.
   */
  prepare(current: SessionWithFacts): Promise<Runtime> {
    const { id } = current.session;
    const known = this.#underWay.get(id);
    if (known !== undefined) return known;
    const preparing = this.#prepare(current).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, preparing);
    return preparing;
  }

  async #prepare({ session }: SessionWithFacts): Promise<Runtime> {
    const { providerOf, log, host, onReady, onFailed } = this.#options;
    const { id, workspace, status } = session;
    const provider = providerOf(workspace.provider);
    let runtime: Runtime;
    try {
      runtime = await provider.ensure({ sessionId: id, spec: workspace });
    } catch (error) {
      const message = error instanceof WorkspaceError ? error.message : String(error);
      log.warn({ sessionId: id, reason: message }, 'Could not prepare a workspace');
      if (await this.#change(id, { do: 'fail', error: message, host })) onFailed?.();
      throw error instanceof WorkspaceError ? error : new WorkspaceError(message, { cause: error });
    }
    const { root: path } = runtime;
    const isReady = status !== 'PENDING' && status !== 'ERROR';
    if (isReady && session.workspacePath === path) return runtime;
    const ready = await this.#change(id, { do: 'ready', path, host });
    if (ready && session.readyAt === null) onReady?.((Date.now() - session.createdAt) / 1000);
    if (ready) log.info({ sessionId: id, path }, 'Workspace ready');
    return runtime;
  }

  /** False if the session has since ended or moved, which is not a workspace failure. */
  async #change(
    id: string,
    command: Parameters<SessionStore['changeSession']>[1],
  ): Promise<boolean> {
    try {
      logChanges(this.#options.log, (await this.#options.store.changeSession(id, command)).changes);
      return true;
    } catch (error) {
      if (isBatonError(error, 'session_state') || isBatonError(error, 'not_found')) return false;
      throw error;
    }
  }
}
