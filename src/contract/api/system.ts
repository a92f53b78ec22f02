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
    summary: 'Whether the process is alive',
    group,
    open: true,
    answer: z.object({ status: z.literal('ok') }),
  }),
  readyz: endpoint({
    method: 'GET',
    path: '/readyz',
    summary:
      'Whether the database, its migrations, the lease and the free disk space are OK; 503 if not',
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
    summary: 'The OpenAPI 3.1 document that describes this API',
    group,
    page: true,
    answer: z.record(z.string(), z.unknown()),
  }),
  docs: endpoint({
    method: 'GET',
    path: '/docs',
    summary: 'The API documentation, as a web page',
    group,
    page: true,
    answer: z.string(),
    format: 'html',
  }),
};
