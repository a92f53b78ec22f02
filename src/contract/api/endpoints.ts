import { accessEndpoints } from './access.ts';
import { approvalEndpoints } from './approvals.ts';
import { clusterEndpoints } from './cluster.ts';
import { schedulerEndpoints } from './compat-scheduler.ts';
import { webEndpoints } from './compat-web.ts';
import { costEndpoints } from './cost.ts';
import type { Endpoint } from './endpoint.ts';
import { policyEndpoints } from './policies.ts';
import { runEndpoints } from './runs.ts';
import { sessionEndpoints } from './sessions.ts';
import { streamEndpoints } from './streams.ts';
import { systemEndpoints } from './system.ts';

/** Every operation of the canonical API by name, except `PUT …/status` and the WebSockets. */
export const endpoints = {
  ...sessionEndpoints,
  ...runEndpoints,
  ...streamEndpoints,
  ...approvalEndpoints,
  ...policyEndpoints,
  ...accessEndpoints,
  ...clusterEndpoints,
  ...costEndpoints,
  ...systemEndpoints,
};
export type EndpointName = keyof typeof endpoints;

/**
 * Everything the server serves: the canonical operations, then the compatibility
 * routes of the source documents (H8); docs/compat.md compares them.
 */
export const endpointList: readonly (readonly [string, Endpoint])[] = Object.entries({
  ...endpoints,
  ...schedulerEndpoints,
  ...webEndpoints,
});
