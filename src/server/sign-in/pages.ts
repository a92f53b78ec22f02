import type { FastifyRequest } from 'fastify';
import { endpointList } from '../../contract/api/endpoints.ts';
import { isNavigation } from '../origin.ts';
import { APP_PATHS, ASSETS } from '../web/paths.ts';

/** A page for people. Pages are not part of the API or its OpenAPI document. */
export interface Page {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Reachable without a credential. */
  readonly open: boolean;
}

const page = (method: Page['method'], path: string, open: boolean): Page => ({
  method,
  path,
  open,
});

export const SIGN_IN = '/sign-in';
export const PAGES: readonly Page[] = [
  ...APP_PATHS.map((path) => page('GET', path, false)),
  page('GET', `${ASSETS}{name}`, true),
  page('GET', SIGN_IN, true),
  page('POST', SIGN_IN, true),
  page('GET', '/sign-in/style.css', true),
  page('GET', '/sign-in/script.js', true),
  page('POST', '/sign-out', false),
];

/**
 * First path segments that only programs use. Below them, existing and missing paths get the same
 * response.
 */
const PROGRAMS = new Set(['ws', ...endpointList.map(([, { path }]) => path.split('/')[1])]);
PROGRAMS.delete('docs');

const isForPeople = (path: string): boolean => !PROGRAMS.has(path.split('/')[1]);

export const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? '';

/**
 * Whether a person typed this address or followed a link to it, and should see a page instead of
 * JSON.
 */
export function asksForPage({ method, headers }: FastifyRequest, path: string): boolean {
  if (!isForPeople(path) || headers.authorization !== undefined) return false;
  if (method !== 'GET' && method !== 'HEAD') return false;
  const navigates = headers['sec-fetch-mode'] === undefined || isNavigation(headers);
  return navigates && wantsHtml(headers.accept);
}

export const wantsHtml = (accept: string | undefined): boolean =>
  accept?.toLowerCase().includes('text/html') ?? false;

export const signInPath = (next: string): string =>
  next === '/' ? SIGN_IN : `${SIGN_IN}?next=${encodeURIComponent(next)}`;
