import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, SocketAddress } from 'node:net';

/** The source of an address: a Fastify request, or the raw request of an upgrade. */
export interface Addressed {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

export type AddressOf = (request: Addressed) => string;

/** The address at the other end of a connection, and whether it is a trusted proxy. */
export type ProxyCheck = (socket: Addressed['socket']) => { isTrusted: boolean; address: string };

/** The longest chain of proxies that is trusted. */
const HOPS_MAX = 16;

/**
 * Reads the client's address. `X-Forwarded-For` is used only if it comes from trusted proxies, and
 * is read from its end: everything before the first address that is not a trusted proxy was written
 * by a stranger. Fastify's `trustProxy` would return such an entry even if it is not an address or
 * has a port, and ipaddr.js reads `127.1` as an address, so either would still need the checks
 * below.
 */
export function addressReader(trustedProxies: readonly string[] = []): AddressOf {
  const trusted = blockListOf(trustedProxies);
  return ({ headers, socket }) => {
    let address = plainAddress(socket.remoteAddress ?? '') ?? '';
    if (!isTrusted(trusted, address)) return address;
    const hops = String(headers['x-forwarded-for'] ?? '').split(',');
    for (const entry of hops.reverse().slice(0, HOPS_MAX)) {
      const next = plainAddress(entry.trim());
      if (next === null) break;
      address = next;
      if (!isTrusted(trusted, address)) break;
    }
    return address;
  };
}

export function proxyCheck(trustedProxies: readonly string[] = []): ProxyCheck {
  const trusted = blockListOf(trustedProxies);
  return ({ remoteAddress = '' }) => {
    const address = plainAddress(remoteAddress) ?? '';
    return { isTrusted: isTrusted(trusted, address), address };
  };
}

/** A client with an IPv6 address usually has a whole /64 network, so the network is what counts. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = address.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === '' ? [] : tail.split(':');
  const zeros = address.includes('::') ? 8 - front.length - back.length : 0;
  return `${[...front, ...Array(zeros).fill('0'), ...back].slice(0, 4).join(':')}::/64`;
}

/** An address or a network, such as 10.0.0.0/8; null if it is neither. */
export function parseNetwork(text: string): { address: string; bits: number } | null {
  const [, given = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const kind = isIP(given);
  const most = kind === 4 ? 32 : 128;
  const bits = length === undefined ? most : Number(length);
  return kind === 0 || bits > most ? null : { address: given, bits };
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of networks) {
    const network = parseNetwork(text);
    if (network === null) throw new RangeError(`${text} is neither an address nor a network`);
    list.addSubnet(network.address, network.bits, familyOf(network.address));
  }
  return list;
}

const isTrusted = (list: BlockList, address: string): boolean =>
  isIP(address) !== 0 && list.check(address, familyOf(address));

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/**
 * The canonical form of an address, without the port that some proxies add; null if the text is not
 * an address.
 */
function plainAddress(text: string): string | null {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%.*$/, '');
  const kind = isIP(address);
  if (kind === 4) return address;
  if (kind === 0) return null;
  const { address: short } = new SocketAddress({ address, family: 'ipv6' });
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(short)?.[1] ?? short;
}
