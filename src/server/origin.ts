import type { IncomingHttpHeaders } from 'node:http';
import { BatonError } from '../contract/errors.ts';
import type { Site } from './site.ts';

const READS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses what a page of somebody else makes a browser do that has our cookie. Another port of the
 * same host is somebody else, although browsers send it the same cookies.
 */
export function checkOrigin(method: string, headers: IncomingHttpHeaders, site: Site): void {
  const { origin, host } = headers;
  const isRead = READS.includes(method);
  if (origin === undefined ? !isRead : !site.isOurs(origin, host)) refuse();
  if (isForeign(headers) && !(isRead && isNavigation(headers))) refuse();
}

/** Browsers let any page open a WebSocket anywhere, with the cookie; that it has no ticket comes later. */
export function checkUpgradeOrigin({ origin, host }: IncomingHttpHeaders, site: Site): void {
  if (origin === undefined || !site.isOurs(origin, host)) refuse();
}

/** The same where a browser may have no cookie yet: what says nothing of an origin is no browser. */
export function checkSignInOrigin(headers: IncomingHttpHeaders, site: Site): void {
  const { origin, host } = headers;
  if (origin !== undefined && !site.isOurs(origin, host)) refuse();
  if (isForeign(headers)) refuse();
}

function isForeign(headers: IncomingHttpHeaders): boolean {
  const from = headers['sec-fetch-site'];
  return from !== undefined && from !== 'same-origin' && from !== 'none';
}

/** Somebody followed a link, and sees in the address bar where they are. */
export function isNavigation(headers: IncomingHttpHeaders): boolean {
  const into = headers['sec-fetch-dest'];
  return headers['sec-fetch-mode'] === 'navigate' && (into === undefined || into === 'document');
}

function refuse(): never {
  throw new BatonError('origin_refused');
}
