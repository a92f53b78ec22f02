import type { AccessStore } from './access-store.ts';
import type { AccessService } from './service.ts';

export const nodeService = ({
  store,
}: {
  readonly store: Pick<AccessStore, 'listNodeViews'>;
}): Pick<AccessService, 'nodes'> => ({
  nodes: () => store.listNodeViews(),
});
