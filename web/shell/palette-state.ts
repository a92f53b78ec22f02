import { createStore } from '../parts/store.ts';

export const paletteOpen = createStore(false);
export const keyHelpOpen = createStore(false);
/** What was typed before the palette was there to take it. */
export const paletteTyped = createStore('');
