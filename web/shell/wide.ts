import { createStore, useStore } from '../state/store.ts';

/* Whether there is room for a sidebar; the same breakpoint as `md` in the styles. */

const query = matchMedia('(min-width: 768px)');
const wide = createStore(query.matches);
query.addEventListener('change', () => wide.set(query.matches));

export const isWide = wide.get;

export const useIsWide = (): boolean => useStore(wide);
