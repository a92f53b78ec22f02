import { createStore } from '../state/store.ts';

export const paletteOpen = createStore(false);
export const keyHelpOpen = createStore(false);
/** The text typed into the palette, including text typed before it has loaded. */
export const paletteTyped = createStore('');
