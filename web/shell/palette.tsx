import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import {
  type ReactNode,
  type RefObject,
  useDeferredValue,
  useEffect,
  useRef,
  useState,
} from 'react';
import { SESSION_NAME_MAX } from '../../src/contract/limits.ts';
import type { Session } from '../../src/contract/session.ts';
import { firstCharacters } from '../../src/contract/values/characters.ts';
import { meQuery, sessionsQuery } from '../api/queries.ts';
import { activityOf } from '../parts/activity.ts';
import { StatusDot } from '../parts/status.tsx';
import { chooseTheme } from '../parts/theme.ts';
import { useStore } from '../state/store.ts';
import { chooseLanguage } from '../texts/language.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { type NavPage, pagesFor } from './nav-page.ts';
import { keyHelpOpen, paletteOpen, paletteTyped } from './palette-state.ts';

/** The command palette (⌘K, Ctrl+K). */
export function Palette({ pages }: { pages: readonly NavPage[] }) {
  const t = useTexts();
  const language = useLanguage();
  const navigate = useNavigate();
  const typed = useStore(paletteTyped);
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      paletteTyped.set('');
      setTimeout(() => {
        if (document.activeElement === document.body) (before as HTMLElement | null)?.focus();
      });
    },
    [before],
  );
  const { data: me } = useQuery(meQuery);
  const sessions = useSessions(typed.trim());
  const list = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useChosen(list);
  const after = (act: () => unknown) => () => {
    paletteOpen.set(false);
    act();
  };
  return (
    <Command.Dialog
      open
      value={chosen}
      onValueChange={setChosen}
      onOpenChange={(next) => paletteOpen.set(next)}
      label={t.shell.palette}
      overlayClassName="fixed inset-0 z-40 bg-scrim animate-appear"
      contentClassName="fixed top-[12vh] left-1/2 z-50 w-[min(560px,calc(100vw-24px))] -translate-x-1/2 rounded border border-edge bg-panel shadow-float animate-appear overflow-hidden"
    >
      <Command.Input
        ref={takeFocus}
        value={typed}
        onValueChange={paletteTyped.set}
        placeholder={t.shell.paletteHint}
        className="w-full border-b border-edge bg-transparent px-4 py-3 outline-none"
      />
      <Command.List ref={list} label={t.shell.palette} className="max-h-[50vh] overflow-y-auto p-2">
        <Command.Empty className="px-2 py-4 text-soft">{t.shell.paletteNothing}</Command.Empty>
        <Group heading={t.shell.goTo}>
          {pagesFor(pages, me?.rights ?? []).map(({ to, name }) => (
            <Item key={to} onSelect={after(() => navigate({ to }))}>
              {name[language]}
            </Item>
          ))}
        </Group>
        <Group heading={t.shell.sessions}>
          {sessions.map((session) => (
            <Item
              key={session.id}
              value={`${session.name} ${session.id}`}
              onSelect={after(() => navigate({ to: '/s/$id', params: { id: session.id } }))}
            >
              <StatusDot status={session.status} activity={activityOf(session)} />
              {session.name}
            </Item>
          ))}
        </Group>
        <Group heading={t.shell.actions}>
          {(['system', 'light', 'dark'] as const).map((each) => (
            <Item key={each} onSelect={after(() => chooseTheme(each))}>
              {`${t.shell.theme}: ${t.shell.themes[each]}`}
            </Item>
          ))}
          <Item onSelect={after(() => chooseLanguage('en'))}>{`${t.shell.language}: English`}</Item>
          <Item onSelect={after(() => chooseLanguage('ja'))}>{`${t.shell.language}: 日本語`}</Item>
          <Item onSelect={after(() => keyHelpOpen.set(true))}>{t.shell.keys}</Item>
          <Item onSelect={after(() => location.assign('/docs'))}>{t.shell.apiReference}</Item>
        </Group>
      </Command.List>
    </Command.Dialog>
  );
}

/**
 * If the dialog set the focus, it would also select the text, and the next letter would replace it.
 */
const takeFocus = (field: HTMLInputElement | null): void => field?.focus();

/**
 * The selected item. The list selects its first item on its own, but not an item that arrives after
 * the search.
 */
function useChosen(list: RefObject<HTMLElement | null>) {
  const [chosen, setChosen] = useState('');
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const items = [...(list.current?.querySelectorAll('[role="option"]') ?? [])];
      if (items.some((item) => item.getAttribute('aria-selected') === 'true')) return;
      setChosen(items[0]?.getAttribute('data-value') ?? '');
    });
    return () => cancelAnimationFrame(frame);
  });
  return [chosen, setChosen] as const;
}

/** Recently active sessions, and those whose names match on the server. */
function useSessions(typed: string): readonly Session[] {
  const { data: active, hasNextPage } = useInfiniteQuery(sessionsQuery({}));
  const name = useDeferredValue(firstCharacters(typed, SESSION_NAME_MAX));
  const { data: matches } = useInfiniteQuery({
    ...sessionsQuery({ name }),
    enabled: hasNextPage && name !== '',
  });
  const all = [active, name === '' ? undefined : matches].flatMap(
    (each) => each?.pages.flatMap(({ items }) => items) ?? [],
  );
  return [...new Map(all.map((session) => [session.id, session])).values()];
}

const Group = ({ heading, children }: { heading: string; children: ReactNode }) => (
  <Command.Group
    heading={heading}
    className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-soft"
  >
    {children}
  </Command.Group>
);

interface ItemProps {
  readonly value?: string;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

const Item = ({ value, onSelect, children }: ItemProps) => (
  <Command.Item
    {...(value === undefined ? {} : { value })}
    onSelect={onSelect}
    className="flex min-h-9 cursor-pointer items-center gap-2 rounded px-2 data-[selected=true]:bg-raised max-md:min-h-11"
  >
    {children}
  </Command.Item>
);
