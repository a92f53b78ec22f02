import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { meQuery } from '../api/queries.ts';
import { pressPageKey } from '../parts/shortcuts.ts';
import { type NavPage, pagesFor } from './nav-page.ts';
import { keyHelpOpen, paletteOpen, paletteTyped } from './palette-state.ts';

/**
 * Shortcuts on every page, beside those that open a page. Single letters are ignored while the user
 * is typing.
 */
export const KEYS = {
  palette: ['Ctrl K', '⌘ K'],
  search: ['/'],
  nextSession: ['j'],
  previousSession: ['k'],
  composer: ['r'],
  allowOnce: ['a'],
  allowSession: ['s'],
  edit: ['e'],
  deny: ['d'],
  help: ['?'],
} as const;

/** Shortcuts that need the right to run agents. */
export const RUN_KEYS: ReadonlySet<keyof typeof KEYS> = new Set([
  'composer',
  'allowOnce',
  'allowSession',
  'edit',
  'deny',
]);

/** How long a `g` waits for its second letter. */
const SECOND_MS = 1000;

export function useKeys(pages: readonly NavPage[]): void {
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  useEffect(() => {
    let gAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent): void => {
      if (event.isComposing || event.defaultPrevented) return;
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        paletteOpen.set(!paletteOpen.get());
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      // The palette may be loading or not focused yet; letters already belong to it.
      if (paletteOpen.get()) {
        if (event.key.length === 1) paletteTyped.set(paletteTyped.get() + event.key);
        return;
      }
      if (document.querySelector('[role="dialog"], dialog[open]') !== null) return;
      const second = performance.now() - gAt < SECOND_MS;
      gAt = Number.NEGATIVE_INFINITY;
      // A key that is held down answers only one question.
      if (!second && !event.repeat && pressPageKey(event.key)) {
        event.preventDefault();
        return;
      }
      const act = second ? afterG(event.key) : single(event.key);
      if (act === null) return;
      event.preventDefault();
      act();
    };
    const shown = pagesFor(pages, me?.rights ?? []);
    const toPage = (keys: string): (() => void) | null => {
      const page = shown.find((each) => each.keys === keys);
      return page === undefined ? null : () => void navigate({ to: page.to });
    };
    const afterG = (key: string): (() => void) | null => toPage(`g ${key}`);
    const single = (key: string): (() => void) | null =>
      (
        ({
          g: () => {
            gAt = performance.now();
          },
          '/': search,
          r: () => document.getElementById('composer')?.focus(),
          j: () => step(1),
          k: () => step(-1),
          '?': () => keyHelpOpen.set(true),
        }) as Record<string, () => void>
      )[key] ?? toPage(key);
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate, me, pages]);
}

/** Whether the user is typing into a field. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    ['TEXTAREA', 'SELECT'].includes(target.tagName) ||
    (target instanceof HTMLInputElement && !['checkbox', 'radio'].includes(target.type)));

/** If the list is not visible, the palette can also search for sessions. */
function search(): void {
  const field = document.getElementById('session-search');
  if (field === null) paletteOpen.set(true);
  else field.focus();
}

/** Opens the next or previous session of the list. */
function step(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('aside a[href^="/s/"]')];
  const at = links.findIndex((link) => link.getAttribute('aria-current') === 'page');
  links[at === -1 ? 0 : at + by]?.click();
}
