import { z } from 'zod';
import { endpoint } from './endpoint.ts';

const group = 'Operating';

const Readiness = z.object({
  status: z.enum(['ready', 'not_ready']),
  checks: z.record(z.string(), z.union([z.literal(true), z.string()])),
});

export const systemEndpoints = {
  healthz: endpoint({
    method: 'GET',
    path: '/healthz',
    summary: 'The process is alive',
    group,
    open: true,
    answer: z.object({ status: z.literal('ok') }),
  }),
  readyz: endpoint({
    method: 'GET',
    path: '/readyz',
    summary: 'Database, migrations, lease and free disk space are in order; else 503',
    group,
    open: true,
    answer: Readiness,
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics for Prometheus',
    group,
    needs: 'admin',
    answer: z.string(),
    format: 'text',
  }),
  openapi: endpoint({
    method: 'GET',
    path: '/api/v1/openapi.json',
    summary: 'The description of the API, as OpenAPI 3.1',
    group,
    page: true,
    answer: z.record(z.string(), z.unknown()),
  }),
  docs: endpoint({
    method: 'GET',
    path: '/docs',
    summary: 'The description of the API, to read in a browser',
    group,
    page: true,
    answer: z.string(),
    format: 'html',
  }),
};
