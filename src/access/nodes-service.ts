import type { NodeView } from '../contract/node.ts';
import type { AccessService } from './service.ts';

/** What the nodes say about themselves, as the store keeps it. */
export interface NodeViews {
  listNodeViews(): Promise<NodeView[]>;
}

export const nodeService = ({
  store,
}: {
  readonly store: NodeViews;
}): Pick<AccessService, 'nodes'> => ({
  nodes: () => store.listNodeViews(),
});
