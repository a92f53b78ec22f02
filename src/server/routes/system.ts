import { systemEndpoints } from '../../contract/api/system.ts';
import { DOCS_CSP, docsPage } from '../docs-page/docs-page.ts';
import { openApiDocument } from '../openapi/document.ts';
import type { Api } from '../route.ts';

/**
 * The results of the /readyz checks by name: true, or why that part is not ready. Anyone can read
 * them, so a reason never contains an address, a path or an internal message.
 */
export type Readiness = Record<string, true | string>;

export interface SystemRouteOptions {
  readonly ready: () => Promise<Readiness>;
  readonly metrics: { text(): Promise<string> } | null;
}

export function addSystemRoutes(api: Api, { ready, metrics }: SystemRouteOptions): void {
  api.add(systemEndpoints.healthz, async () => ({ status: 'ok' as const }));

  api.add(systemEndpoints.readyz, async ({ request, reply }) => {
    let checks: Readiness;
    try {
      checks = await ready();
    } catch (error) {
      request.log.warn({ err: error }, 'The readiness check failed');
      checks = { check: 'failed' };
    }
    const isReady = Object.values(checks).every((check) => check === true);
    if (!isReady) reply.code(503);
    return { status: isReady ? ('ready' as const) : ('not_ready' as const), checks };
  });

  api.add(systemEndpoints.metrics, async ({ reply }) => {
    reply.type('text/plain; version=0.0.4; charset=utf-8');
    return (await metrics?.text()) ?? '';
  });

  api.add(systemEndpoints.openapi, async () => openApiDocument());

  api.add(systemEndpoints.docs, async ({ reply }) => {
    reply.header('content-security-policy', DOCS_CSP);
    return docsPage(openApiDocument());
  });
}
