import { accessEndpoints } from './access.ts';
import { clusterEndpoints } from './cluster.ts';
import type { Endpoint } from './endpoint.ts';
import { runEndpoints } from './runs.ts';
import { sessionEndpoints } from './sessions.ts';
import { streamEndpoints } from './streams.ts';
import { systemEndpoints } from './system.ts';

/** Every operation of the HTTP API by name. (`PUT …/status` and WebSockets stand beside it.) */
export const endpoints = {
  ...sessionEndpoints,
  ...runEndpoints,
  ...streamEndpoints,
  ...accessEndpoints,
  ...clusterEndpoints,
  ...systemEndpoints,
};
export type EndpointName = keyof typeof endpoints;

export const endpointList = Object.entries(endpoints) as [EndpointName, Endpoint][];
