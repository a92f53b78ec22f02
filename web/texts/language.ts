import { createStore } from '../parts/store.ts';

export type Language = 'en' | 'ja';

const KEY = 'baton.language';

function first(): Language {
  const chosen = localStorage.getItem(KEY);
  if (chosen === 'en' || chosen === 'ja') return chosen;
  return navigator.languages.find((each) => /^(en|ja)\b/.test(each))?.startsWith('ja') === true
    ? 'ja'
    : 'en';
}

export const language = createStore<Language>(first());

export function chooseLanguage(next: Language): void {
  localStorage.setItem(KEY, next);
  language.set(next);
}
