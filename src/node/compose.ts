import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { driverOf } from '../agents/drivers.ts';
import { TIMEOUTS, type Timeouts, withTimeouts } from '../agents/timeouts.ts';
import { AgentPayload } from '../contract/message.ts';
import type { AgentKind } from '../contract/session.ts';
import type { Json } from '../contract/values/json.ts';
import { maskCallJson, maskJson } from '../policy/masking/json.ts';
import type { Masker } from '../policy/masking/masker.ts';
import { OwnFiles } from '../policy/tools/own-files.ts';
import type { Logger } from '../queue/logger.ts';
import { RunQueue } from '../queue/run-queue.ts';
import { Worker } from '../queue/worker/worker.ts';
import type { WorkerOptions } from '../queue/worker/worker-settings.ts';
import type { SecretBox } from '../secrets/box.ts';
import { createServices, type Services } from '../server/services.ts';
import { Connections } from '../sessions/connections.ts';
import { withReportedCosts } from '../sessions/costs/reported-costs.ts';
import { textOfSteer } from '../sessions/messages/messages.ts';
import { Steering } from '../sessions/messages/steering.ts';
import { Provisioner } from '../sessions/provisioner.ts';
import { SessionReconciler } from '../sessions/reconciler.ts';
import { mayUse } from '../sessions/rules/sender-check.ts';
import { agentHandler } from '../sessions/turn/agent-handler.ts';
import { checkWorkspace, WORKSPACE_RUN, WorkspacePayload } from '../sessions/workspace-run.ts';
import type { BatonStore } from '../storage/operations/baton-store.ts';
import { directoryArtefacts } from '../workspaces/artefacts.ts';
import { directoryProvider, workspacesOf } from '../workspaces/directory.ts';
import { withGitLimits } from '../workspaces/local/environment/git-environment.ts';
import { Lifelines } from '../workspaces/local/processes/lifelines.ts';
import { homeOf, localRuntime } from '../workspaces/local/runtime.ts';
import { workspaceProviders } from '../workspaces/providers.ts';
import { packagedProgram } from './packaged-programs.ts';

export interface Parts {
  readonly store: BatonStore;
  /** The base URL of links for browsers, without a trailing slash. */
  readonly publicUrl?: string;
  readonly dataDir: string;
  /** Baton's own files outside the data directory; agents must not use them either (P7). */
  readonly ownPaths?: readonly string[];
  /** The database file, which may be outside the data directory. */
  readonly database?: string;
  /**
   * An id shared by all servers that use the same database. Agents of other installations are left
   * alone.
   */
  readonly installation: string;
  readonly masker: Masker;
  readonly box: SecretBox;
  readonly log: Logger;
  /** Whether agents run on this node. */
  readonly executes: boolean;
  /** The part of the server's environment that agents see. */
  readonly environment: Readonly<Record<string, string>>;
  readonly worker: WorkerOptions;
  readonly host: string;
  /** The path to Claude Code; by default, Baton searches for it. */
  readonly claudePath?: string | undefined;
  /** How long an agent is kept alive while it waits for an answer (A7). */
  readonly parkMs?: number;
  /** Whether a run waits until a usage limit is reset; true by default. */
  readonly parkUsageLimit?: boolean;
  /** How much of its agent's output one run may store (E10). */
  readonly runOutputBytes?: number;
  readonly reconcileMs?: number;
  readonly timeouts?: Timeouts;
  readonly onReady?: (seconds: number) => void;
  /** Called when a session could not be stored, or its workspace could not be prepared. */
  readonly onCreationFailed?: () => void;
  readonly onPass?: (seconds: number) => void;
  readonly onCost?: (agent: string, usd: number) => void;
  /** Called when the tool rules have refused a message or a call. */
  readonly onDenied?: (what: 'message' | 'call') => void;
  /** The maximum number of runs that one session may have queued. */
  readonly queueMax?: number;
}

export interface Composed {
  readonly queue: RunQueue;
  readonly worker: Worker;
  readonly connections: Connections;
  readonly reconciler: SessionReconciler;
  readonly services: Services;
  /** Must be called after all agents have exited. */
  endLifelines(): void;
}

/** Wires sessions, queue and agents together. Starts nothing. */
export function compose(parts: Parts): Composed {
  const { store, log, masker, box, installation, timeouts = TIMEOUTS } = parts;
  const masking = {
    masker,
    maskJson: (value: Json): Json => maskJson(masker, value),
    maskCall: (input: Json): Json => maskCallJson(masker, input),
  };
  const queue = new RunQueue(store, { log });
  const worker = new Worker(queue, {
    ...parts.worker,
    // No session has an event for this, so open pages must reload everything.
    onStopped: () => queue.hintAll(),
  });
  const connections = new Connections({ store, log, nodeId: () => worker.nodeId });
  const environment = withGitLimits(
    parts.environment,
    bothNamesOf(parts.dataDir).map(workspacesOf),
  );
  const lifelines = new Lifelines({ ...parts, nodeId: () => worker.nodeId });
  const local = {
    dataDir: parts.dataDir,
    environment,
    installation,
    node: () => lifelines.node(),
    packaged: packagedProgram,
    onLeft: (left: unknown, runId: string) =>
      log.error({ runId, left }, 'Could not stop all processes of an agent'),
  };
  const providerOf = workspaceProviders(
    directoryProvider({ ...parts, runtimeOf: (workspace) => localRuntime(local, workspace) }),
  );
  const artefacts = directoryArtefacts({ dataDir: parts.dataDir });
  const ownFiles = ownFilesOf(parts);
  const provisioner = new Provisioner({
    store,
    providerOf,
    log,
    host: parts.host,
    ...(parts.onReady === undefined ? {} : { onReady: parts.onReady }),
    ...(parts.onCreationFailed === undefined ? {} : { onFailed: parts.onCreationFailed }),
  });
  const reconciler = new SessionReconciler({
    store,
    connections,
    provisioner: parts.executes ? provisioner : null,
    removeWorkspace: async (sessionId) => {
      await artefacts.remove(sessionId);
      await providerOf('directory').delete({ sessionId, spec: { provider: 'directory' } });
    },
    host: parts.host,
    log,
    ...(parts.reconcileMs === undefined ? {} : { everyMs: parts.reconcileMs }),
    ...(parts.onPass === undefined ? {} : { onPass: parts.onPass }),
  });

  const claude = { program: parts.claudePath };
  const run = agentHandler({
    store: parts.onCost === undefined ? store : withReportedCosts(store, parts.onCost),
    provisioner,
    driverOf: (kind: AgentKind) => withTimeouts(driverOf(kind, { claude }), timeouts),
    ...(parts.parkMs === undefined ? {} : { parkMs: parts.parkMs }),
    ...(parts.runOutputBytes === undefined ? {} : { runOutputBytes: parts.runOutputBytes }),
    onDenied: () => parts.onDenied?.('call'),
    parkUsageLimit: parts.parkUsageLimit ?? true,
    artefacts,
    ...masking,
    box,
    ownFiles,
    clock: Date.now,
    steering: new Steering({
      store,
      textOf: textOfSteer(box),
      isAllowed: ({ sender, sessionId }) => mayUse(store, sender, sessionId, 'run'),
      nodeId: () => worker.nodeId,
      log,
    }),
  });
  queue.register('agent', { payload: AgentPayload, ...(parts.executes ? { run } : {}) });
  queue.register(WORKSPACE_RUN, {
    payload: WorkspacePayload,
    ...(parts.executes ? { run: checkWorkspace({ store, providerOf }) } : {}),
  });

  const services = createServices({
    publicUrl: parts.publicUrl ?? '',
    store,
    queue,
    connections,
    ...masking,
    box,
    log,
    ownFiles,
    home: homeOf(environment),
    providerOf,
    artefacts,
    checkAgent: (kind) => void driverOf(kind),
    // Workspaces on another host are left to that host's nodes.
    ...(parts.executes
      ? {
          ensureWorkspace: async (session) => {
            const isOurs = session.host === null || session.host === parts.host;
            if (isOurs) await provisioner.prepare(session);
          },
        }
      : {}),
    onWork: () => reconciler.wake(),
    isStopped: () => worker.stats.stopped,
    ...(parts.queueMax === undefined ? {} : { queueMax: parts.queueMax }),
    ...(parts.onCreationFailed === undefined ? {} : { onCreationFailed: parts.onCreationFailed }),
    onDenied: () => parts.onDenied?.('message'),
  });
  const endLifelines = (): void => lifelines.end();
  return { queue, worker, connections, reconciler, services, endLifelines };
}

/** Includes names and real paths, because the data directory may be a symbolic link. */
function ownFilesOf({ dataDir, ownPaths = [] }: Pick<Parts, 'dataDir' | 'ownPaths'>): OwnFiles {
  return new OwnFiles({
    paths: [dataDir, ...ownPaths].flatMap(bothNamesOf),
    except: bothNamesOf(dataDir).map(workspacesOf),
  });
}

/** The absolute path and, if it exists, its real path. */
function bothNamesOf(path: string): string[] {
  const absolute = resolve(path);
  try {
    return [absolute, realpathSync(absolute)];
  } catch {
    return [absolute];
  }
}
