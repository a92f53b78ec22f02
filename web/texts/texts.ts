import { useStore } from '../state/store.ts';
import type { Texts } from './en/all.ts';
import { type Language, language, textsOf } from './language.ts';

/** All of the app's strings in the chosen language; used as `t.shell.sessions`. */
export const useTexts = (): Texts => textsOf(useStore(language));

export const useLanguage = (): Language => useStore(language);

/** For use outside components. */
export const texts = (): Texts => textsOf(language.get());
