import type { NodeView } from '../../contract/node.ts';
import { clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { withServer } from '../connection/remote.ts';
import { takeWords } from '../input/positionals.ts';
import { distinctLength, type Listing, printList } from '../output/listing.ts';
import { relativeTime } from '../output/relative-time.ts';

const MIB = 1024 * 1024;

export const nodes = clientCommand({
  summary: 'list the nodes of this installation (administrators)',
  usage: '[flags]',
  about: [
    'RUNS: current runs / capacity. LOAD: load of the whole machine; 1.0 means all processors are busy.',
  ],
  flags: connectionFlags,
  run: async ({ flags, words }) => {
    takeWords(words);
    const { items } = await withServer(flags, (client) => client.listNodes());
    printList(items, flags.json, listingOf(items));
    return EXIT.ok;
  },
});

const stateOf = ({ alive }: NodeView): string => (alive ? 'online' : 'offline');

function listingOf(items: readonly NodeView[]): Listing<NodeView> {
  const idLength = distinctLength(items.map(({ id }) => id));
  return {
    columns: [
      { head: 'HOST', text: ({ hostName }) => hostName, flexible: true },
      { head: 'ROLES', text: ({ roles }) => roles.join(', ') },
      {
        head: 'STATE',
        text: stateOf,
        style: ({ alive }, { green, red }) => (alive ? green : red),
      },
      { head: 'RUNS', text: ({ executing, capacity }) => `${executing}/${capacity}` },
      { head: 'CONNECTED', text: ({ connections }) => String(connections) },
      { head: 'LOAD', text: ({ load }) => load?.cpu.toFixed(1) ?? '' },
      {
        head: 'MEMORY',
        text: ({ load }) => (load === null ? '' : `${Math.round(load.memoryBytes / MIB)} MiB`),
      },
      { head: 'VERSION', text: ({ version }) => version },
      { head: 'STARTED', text: ({ startedAt }) => relativeTime(startedAt, Date.now()) },
      { head: 'ID', text: ({ id }) => id.slice(0, idLength) },
    ],
    fields: (node) => [
      node.id,
      node.host,
      node.roles.join(','),
      stateOf(node),
      node.executing,
      node.capacity,
      node.connections,
      node.version,
      node.startedAt,
      node.leaseUntil,
      node.hostName,
    ],
    empty: 'No nodes.',
  };
}
