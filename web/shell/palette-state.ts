import { createStore } from '../parts/store.ts';

export const paletteOpen = createStore(false);
export const keyHelpOpen = createStore(false);
