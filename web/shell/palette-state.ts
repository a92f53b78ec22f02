import { createStore } from '../state/store.ts';

export const paletteOpen = createStore(false);
export const keyHelpOpen = createStore(false);
/** What is looked for in the palette, also before it is there. */
export const paletteTyped = createStore('');
