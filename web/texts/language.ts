import { createStore } from '../state/store.ts';
import { keep, kept } from '../state/stored.ts';
import type { First, Rest, Texts } from './en/all.ts';

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

/**
 * Only the words of the language that is read are loaded: at first those that the first pages show, the
 * rest with the pages that show them.
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

/** To be called before the first component is shown. */
export async function loadTexts(which: Language): Promise<void> {
  await load(which, 'first');
  if (needsRest) await load(which, 'rest');
}

/** What `bring` loads, with the rest of the words. */
export const withRest =
  <T>(bring: () => Promise<T>): (() => Promise<T>) =>
  async () => {
    needsRest = true;
    const [brought] = await Promise.all([bring(), load(language.get(), 'rest')]);
    // Another language may have been chosen meanwhile.
    await load(language.get(), 'rest');
    return brought;
  };

export function textsOf(which: Language): Texts {
  const texts = loaded[which];
  if (texts.common === undefined) throw new Error(`The texts of ${which} are not loaded.`);
  return texts as Texts;
}

export function chooseLanguage(next: Language): void {
  keep(KEY, next);
  // Where they cannot be loaded, such as after an update of the server, a new page can.
  loadTexts(next).then(
    () => language.set(next),
    () => location.reload(),
  );
}
