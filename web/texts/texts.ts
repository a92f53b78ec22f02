import { useStore } from '../state/store.ts';
import type { Texts } from './en/all.ts';
import { language, textsOf } from './language.ts';

/** All texts of the app in the chosen language; used as `t.shell.sessions`. */
export const useTexts = (): Texts => textsOf(useStore(language));

/** For use outside components. */
export const texts = (): Texts => textsOf(language.get());
