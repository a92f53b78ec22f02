import { createStore } from '../parts/store.ts';
import { keep, kept } from '../parts/stored.ts';
import type { Texts } from './en/all.ts';

export type Language = 'en' | 'ja';

const KEY = 'baton.language';

function first(): Language {
  const chosen = kept(KEY);
  if (chosen === 'en' || chosen === 'ja') return chosen;
  return navigator.languages.find((each) => /^(en|ja)\b/.test(each))?.startsWith('ja') === true
    ? 'ja'
    : 'en';
}

export const language = createStore<Language>(first());

/** Only the words of the language that is read are loaded. */
const LOAD: Record<Language, () => Promise<Texts>> = {
  en: async () => (await import('./en/all.ts')).en,
  ja: async () => (await import('./ja/all.ts')).ja,
};
const loaded: Partial<Record<Language, Texts>> = {};

/** To be called before the first component is shown. */
export async function loadTexts(which: Language): Promise<void> {
  loaded[which] ??= await LOAD[which]();
}

export function textsOf(which: Language): Texts {
  const texts = loaded[which];
  if (texts === undefined) throw new Error(`The texts of ${which} are not loaded.`);
  return texts;
}

export function chooseLanguage(next: Language): void {
  keep(KEY, next);
  // Where they cannot be loaded, such as after an update of the server, a new page can.
  loadTexts(next).then(
    () => language.set(next),
    () => location.reload(),
  );
}
