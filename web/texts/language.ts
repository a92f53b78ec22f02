import { createStore } from '../state/store.ts';
import { readStored, writeStored } from '../state/stored.ts';
import type { First, Rest, Texts } from './en/all.ts';

export type Language = 'en' | 'ja';

const KEY = 'baton.language';

function first(): Language {
  const chosen = readStored(KEY);
  if (chosen === 'en' || chosen === 'ja') return chosen;
  return navigator.languages.find((each) => /^(en|ja)\b/.test(each))?.startsWith('ja') === true
    ? 'ja'
    : 'en';
}

export const language = createStore<Language>(first());

/**
 * Only the strings in the current language are loaded: those for the first pages at once, the rest
 * with the pages that need them.
 */
const LOAD: Record<Language, { first: () => Promise<First>; rest: () => Promise<Rest> }> = {
  en: {
    first: async () => (await import('./en/first.ts')).first,
    rest: async () => (await import('./en/rest.ts')).rest,
  },
  ja: {
    first: async () => (await import('./ja/first.ts')).first,
    rest: async () => (await import('./ja/rest.ts')).rest,
  },
};
const loaded: Record<Language, Partial<Texts>> = { en: {}, ja: {} };
let needsRest = false;

async function load(which: Language, part: 'first' | 'rest'): Promise<void> {
  const has = part === 'first' ? 'common' : 'detail';
  if (loaded[which][has] === undefined) Object.assign(loaded[which], await LOAD[which][part]());
}

/** Call before rendering the first component. */
export async function loadTexts(which: Language): Promise<void> {
  await load(which, 'first');
  if (needsRest) await load(which, 'rest');
}

/** Loads a page together with the remaining strings. */
export const withRest =
  <T>(loadPage: () => Promise<T>): (() => Promise<T>) =>
  async () => {
    needsRest = true;
    const [page] = await Promise.all([loadPage(), load(language.get(), 'rest')]);
    // The language may have been changed while loading.
    await load(language.get(), 'rest');
    return page;
  };

export function textsOf(which: Language): Texts {
  const texts = loaded[which];
  if (texts.common === undefined) throw new Error(`The texts of ${which} are not loaded.`);
  return texts as Texts;
}

export function chooseLanguage(next: Language): void {
  writeStored(KEY, next);
  // If the strings cannot be loaded, for example after a server update, a reloaded page can load
  // them.
  loadTexts(next).then(
    () => language.set(next),
    () => location.reload(),
  );
}
