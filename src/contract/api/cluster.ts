import { z } from 'zod';
import { NodeView } from '../node.ts';
import { Stats } from '../stats.ts';
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
  getStats: endpoint({
    method: 'GET',
    path: '/api/v1/stats',
    summary: 'Runs now and over the last seven days, of what you may see',
    group: 'Operating',
    answer: Stats,
  }),
};
