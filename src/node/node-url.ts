import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Where nodes of other hosts reach this one (X7): the configured URL, or the address it listens on. A
 * loopback address means another machine to each of them, and of a wildcard address `url` is one.
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

/** The hosts that may have sessions and that the others cannot reach, if there are several hosts. */
export function unreachableHosts(live: readonly Addressed[]): string[] {
  if (new Set(live.map(({ host }) => host)).size < 2) return [];
  const reached = new Set(
    live.filter(({ url }) => url != null && !isLoopback(url)).map(({ host }) => host),
  );
  const workers = live.filter(({ roles }) => roles.includes('worker'));
  const hosts = [...new Set(workers.map(({ host }) => host))].sort();
  return hosts.filter((host) => !reached.has(host));
}
