import { useStore } from '../parts/store.ts';
import { en, type Texts } from './en/all.ts';
import { ja } from './ja/all.ts';
import { type Language, language } from './language.ts';

const TEXTS: Record<Language, Texts> = { en, ja };

/** All words of the app in the language chosen; used as `t.shell.sessions`. */
export const useTexts = (): Texts => TEXTS[useStore(language)];

/** Outside of components. */
export const texts = (): Texts => TEXTS[language.get()];
