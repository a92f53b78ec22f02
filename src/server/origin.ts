import type { IncomingHttpHeaders } from 'node:http';
import { BatonError } from '../contract/errors.ts';
import type { OwnSite } from './own-site.ts';

const READS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses requests that another site has triggered in a browser with our cookie. Another port of
 * the same host counts as another site, although browsers send it the same cookies.
 */
export function checkOrigin(method: string, headers: IncomingHttpHeaders, site: OwnSite): void {
  const { origin, host } = headers;
  const isRead = READS.includes(method);
  if (origin === undefined ? !isRead : !site.isOurs(origin, host)) refuse();
  if (isForeign(headers) && !(isRead && isNavigation(headers))) refuse();
}

/**
 * Browsers let any page open a WebSocket to any host, and send the cookie. The ticket is checked
 * later.
 */
export function checkUpgradeOrigin({ origin, host }: IncomingHttpHeaders, site: OwnSite): void {
  if (origin === undefined || !site.isOurs(origin, host)) refuse();
}

/**
 * The check for sign-in, where there may be no cookie yet. A request without an `Origin` does not
 * come from a browser.
 */
export function checkSignInOrigin(headers: IncomingHttpHeaders, site: OwnSite): void {
  const { origin, host } = headers;
  if (origin !== undefined && !site.isOurs(origin, host)) refuse();
  if (isForeign(headers)) refuse();
}

function isForeign(headers: IncomingHttpHeaders): boolean {
  const from = headers['sec-fetch-site'];
  return from !== undefined && from !== 'same-origin' && from !== 'none';
}

/** Whether a person followed a link and can see the address of the page. */
export function isNavigation(headers: IncomingHttpHeaders): boolean {
  const into = headers['sec-fetch-dest'];
  return headers['sec-fetch-mode'] === 'navigate' && (into === undefined || into === 'document');
}

function refuse(): never {
  throw new BatonError('origin_refused');
}
