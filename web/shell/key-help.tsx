import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../api/queries.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { KEYS, RUN_KEYS } from './global-shortcuts.ts';
import { type NavPage, pagesFor } from './nav-page.ts';
import { keyHelpOpen } from './palette-state.ts';

const inSentence = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

export function KeyHelp({ pages }: { pages: readonly NavPage[] }) {
  const t = useTexts();
  const language = useLanguage();
  const rights = useQuery(meQuery).data?.rights ?? [];
  const [first, ...others] = (Object.keys(KEYS) as (keyof typeof KEYS)[])
    .filter((name) => rights.includes('run') || !RUN_KEYS.has(name))
    .map((name) => ({ keys: KEYS[name], text: t.shell.keysOf[name] }));
  const toPages = pagesFor(pages, rights).flatMap(({ keys, name }) => {
    const text = keys?.startsWith('g ')
      ? t.shell.goToPage(inSentence(name[language]))
      : name[language];
    return keys === undefined ? [] : [{ keys: [keys], text }];
  });
  const shown = [...(first === undefined ? [] : [first]), ...toPages, ...others];
  return (
    <Dialog open onClose={() => keyHelpOpen.set(false)} title={t.shell.keys}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
        {shown.map(({ keys, text }) => (
          <div key={text} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="rounded border border-edge bg-raised px-1.5 font-mono text-xs"
                >
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
