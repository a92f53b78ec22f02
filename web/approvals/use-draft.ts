import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../api/queries.ts';
import { createStore, type Store, useStore } from '../state/store.ts';
import { keep, kept, parsed } from '../state/stored.ts';
import { type Draft, type Drafts, NO_DRAFT, withDraft } from './drafts.ts';

/** Other people at the same browser have their own. */
const stores = new Map<string, Store<Drafts>>();

function storeOf(userId: string): Store<Drafts> {
  const known = stores.get(userId);
  if (known !== undefined) return known;
  const name = `baton.answers/${userId}`;
  const store = createStore((parsed(kept(name, 'tab')) ?? {}) as Drafts);
  store.subscribe(() => {
    const all = store.get();
    keep(name, Object.keys(all).length === 0 ? null : JSON.stringify(all), 'tab');
  });
  stores.set(userId, store);
  return store;
}

/** The draft of an answer, and how it is changed. */
export function useDraft(id: string): readonly [Draft, (change: Partial<Draft>) => void] {
  const { data: me } = useQuery(meQuery);
  const store = storeOf(me?.user.id ?? '');
  const all = useStore(store);
  return [all[id] ?? NO_DRAFT, (change) => store.set(withDraft(store.get(), id, change))];
}
