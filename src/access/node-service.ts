import type { NodeView } from '../contract/node.ts';
import type { AccessStore } from './access-store.ts';
import type { Authorised } from './principal.ts';

/** The nodes of the installation. */
export interface NodeService {
  list(by: Authorised<'admin'>): Promise<NodeView[]>;
}

export const nodeService = (store: Pick<AccessStore, 'listNodeViews'>): NodeService => ({
  list: () => store.listNodeViews(),
});
