import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../api/queries.ts';
import { createStore, type Store, useStore } from '../state/store.ts';
import { parseStored, readStored, writeStored } from '../state/stored.ts';
import { type Draft, type Drafts, NO_DRAFT, withDraft } from './drafts.ts';

/** Keyed by user, because several users may share a browser. */
const stores = new Map<string, Store<Drafts>>();

function storeOf(userId: string): Store<Drafts> {
  const known = stores.get(userId);
  if (known !== undefined) return known;
  const name = `baton.answers/${userId}`;
  const store = createStore((parseStored(readStored(name, 'tab')) ?? {}) as Drafts);
  store.subscribe(() => {
    const all = store.get();
    writeStored(name, Object.keys(all).length === 0 ? null : JSON.stringify(all), 'tab');
  });
  stores.set(userId, store);
  return store;
}

/** The draft of an answer, with its setter. */
export function useDraft(id: string): readonly [Draft, (change: Partial<Draft>) => void] {
  const { data: me } = useQuery(meQuery);
  const store = storeOf(me?.user.id ?? '');
  const all = useStore(store);
  return [all[id] ?? NO_DRAFT, (change) => store.set(withDraft(store.get(), id, change))];
}
