import { createStore } from '../state/store.ts';
import { readStored, writeStored } from '../state/stored.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'baton.theme';
const stored = readStored(KEY);

export const theme = createStore<Theme>(
  stored === 'light' || stored === 'dark' ? stored : 'system',
);

export function applyTheme(): void {
  const chosen = theme.get();
  if (chosen === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
}

export function chooseTheme(next: Theme): void {
  writeStored(KEY, next);
  theme.set(next);
  applyTheme();
}
