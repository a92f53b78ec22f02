import { useStore } from '../state/store.ts';
import type { Texts } from './en/all.ts';
import { language, textsOf } from './language.ts';

/** All words of the app in the language chosen; used as `t.shell.sessions`. */
export const useTexts = (): Texts => textsOf(useStore(language));

/** Outside of components. */
export const texts = (): Texts => textsOf(language.get());
