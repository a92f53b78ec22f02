import type { AccessStore, Audited } from '../access/access-store.ts';
import { auditService } from '../access/audit-service.ts';
import { nodeService } from '../access/node-service.ts';
import { stopService } from '../access/stop-service.ts';
import { tokenService } from '../access/token-service.ts';
import { userService } from '../access/user-service.ts';
import type { StopStore } from '../queue/store.ts';
import { approvalService } from '../sessions/approvals/approval-service.ts';
import type { Connections } from '../sessions/connections.ts';
import { costService } from '../sessions/costs/cost-service.ts';
import { hostService } from '../sessions/host-service.ts';
import { logService } from '../sessions/logs/log-service.ts';
import { ArrivalOrder } from '../sessions/messages/arrival-order.ts';
import { messageService } from '../sessions/messages/message-service.ts';
import { ruleService } from '../sessions/rules/rule-service.ts';
import { runService } from '../sessions/runs/run-service.ts';
import type { ServiceStore } from '../sessions/service-parts.ts';
import { type SessionParts, sessionService } from '../sessions/session-service.ts';
import { shareService } from '../sessions/share-service.ts';
import { type WorkspaceParts, workspaceService } from '../sessions/workspace-service.ts';
import { addCompatSchedulerRoutes } from './compat/scheduler.ts';
import { addCompatWebRoutes } from './compat/web.ts';
import type { Api } from './route.ts';
import { addAccessRoutes } from './routes/access.ts';
import { addApprovalRoutes } from './routes/approvals.ts';
import { addCostRoutes } from './routes/cost.ts';
import { addPolicyRoutes } from './routes/policies.ts';
import { addRunRoutes } from './routes/runs.ts';
import { addSessionRoutes } from './routes/sessions.ts';

type Ports = AccessStore & StopStore;

/** The parts from which the services are built. */
export interface NounParts extends SessionParts, WorkspaceParts {
  readonly store: ServiceStore & Ports & Audited<Ports>;
  readonly connections: Connections;
  readonly publicUrl: string;
}

/**
 * The services, one per noun: everything that people and programs can do. Calls throw coded errors
 * (contract/errors.ts): `not_found` for anything that is neither the caller's nor shared with them,
 * `forbidden` if the share gives less access than the call requires.
 */
export function createServices(parts: NounParts) {
  const { store, masker, connections } = parts;
  const order = new ArrivalOrder();
  const access = { ...parts, mask: (text: string) => masker.mask(text) };
  return {
    sessions: sessionService(parts),
    messages: messageService(parts, order),
    runs: runService(parts, order),
    logs: logService(parts, connections),
    approvals: approvalService(parts),
    rules: ruleService(parts),
    costs: costService(parts),
    workspaces: workspaceService(parts),
    shares: shareService(parts),
    hosts: hostService(parts),
    users: userService(access),
    tokens: tokenService(access),
    audit: auditService(store),
    stop: stopService(access),
    nodes: nodeService(store),
  };
}

export type Services = ReturnType<typeof createServices>;

/**
 * The routes that only call services. `services` throws `database_unreachable` until the database
 * is open. Each function declares the few services that it calls.
 */
export const NOUN_ROUTES: readonly ((api: Api, services: () => Services) => void)[] = [
  addSessionRoutes,
  addRunRoutes,
  addApprovalRoutes,
  addPolicyRoutes,
  addCostRoutes,
  addAccessRoutes,
  addCompatSchedulerRoutes,
  addCompatWebRoutes,
];
