import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * The URL at which nodes on other hosts reach this node (X7): the configured URL, or else `url`,
 * where this node listens. Null if `url` is a loopback address, which would mean a different
 * machine on each host; this includes nodes that listen on a wildcard address.
 */
export function nodeUrlOf(configured: string | undefined, url: string): string | null {
  if (configured !== undefined) return configured;
  return URL.canParse(url) && !isLoopback(url) ? url : null;
}

export function isLoopback(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  const kind = isIP(host);
  return kind !== 0 && loopback.check(host, kind === 6 ? 'ipv6' : 'ipv4');
}

interface Addressed {
  readonly host: string;
  readonly roles: readonly string[];
  readonly url?: string | null | undefined;
}

/**
 * The hosts that may have sessions but cannot be reached from other hosts. Empty if there is only
 * one host.
 */
export function unreachableHosts(live: readonly Addressed[]): string[] {
  if (new Set(live.map(({ host }) => host)).size < 2) return [];
  const reached = new Set(
    live.filter(({ url }) => url != null && !isLoopback(url)).map(({ host }) => host),
  );
  const workers = live.filter(({ roles }) => roles.includes('worker'));
  const hosts = [...new Set(workers.map(({ host }) => host))].sort();
  return hosts.filter((host) => !reached.has(host));
}
