import { z } from 'zod';
import { AgentView } from '../agent.ts';
import { HostView, NodeView } from '../node.ts';
import { Stats } from '../stats.ts';
import { PutStop, Stop } from '../stop.ts';
import { endpoint } from './endpoint.ts';

export const clusterEndpoints = {
  listNodes: endpoint({
    method: 'GET',
    path: '/api/v1/nodes',
    summary: 'The nodes of this installation: role, lease, version, load',
    group: 'Operating',
    needs: 'admin',
    answer: z.object({ items: z.array(NodeView) }),
  }),
  listHosts: endpoint({
    method: 'GET',
    path: '/api/v1/hosts',
    summary: 'The hosts that run agents, and whether each has a live worker',
    group: 'Operating',
    needs: 'run',
    answer: z.object({ items: z.array(HostView) }),
  }),
  listAgents: endpoint({
    method: 'GET',
    path: '/api/v1/agents',
    summary:
      'The agents available to sessions: whether each is usable on this server and, if not, why',
    group: 'Operating',
    needs: 'run',
    answer: z.object({ items: z.array(AgentView) }),
  }),
  getStop: endpoint({
    method: 'GET',
    path: '/api/v1/stop',
    summary: 'Whether everything is stopped, since when, by whom and why',
    group: 'Operating',
    answer: Stop,
  }),
  putStop: endpoint({
    method: 'PUT',
    path: '/api/v1/stop',
    summary:
      'Stop everything, or resume; while everything is stopped, no run starts and no agent works',
    group: 'Operating',
    needs: 'admin',
    body: PutStop,
    answer: Stop,
    example: { stopped: true, reason: 'An agent pushed to the wrong repository.' },
  }),
  getStats: endpoint({
    method: 'GET',
    path: '/api/v1/stats',
    summary: 'Run statistics, now and over the last seven days, for the sessions you can see',
    group: 'Operating',
    answer: Stats,
  }),
};
