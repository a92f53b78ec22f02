import type { FastifyRequest } from 'fastify';
import { isNavigation } from '../origin.ts';
import { APP_PATHS, ASSETS, isAppPath } from '../web/paths.ts';

/** What the server shows to people; not part of the API, and not described by its document. */
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

/** Where a browser without a credential is sent on to the sign-in page; anything else is told 401. */
const isForPeople = (path: string): boolean =>
  isAppPath(path) || path === '/docs' || path === '/sign-out';

export function asksForPage({ method, headers }: FastifyRequest, path: string): boolean {
  if (!isForPeople(path) || headers.authorization !== undefined) return false;
  if ((method === 'POST') !== (path === '/sign-out')) return false;
  const navigates = headers['sec-fetch-mode'] === undefined || isNavigation(headers);
  return navigates && wantsHtml(headers.accept);
}

export const wantsHtml = (accept: string | undefined): boolean =>
  accept?.toLowerCase().includes('text/html') ?? false;

export const signInPath = (next: string): string =>
  next === '/' || next === '/sign-out' ? SIGN_IN : `${SIGN_IN}?next=${encodeURIComponent(next)}`;
