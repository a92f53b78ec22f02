import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../api/queries.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useTexts } from '../texts/texts.ts';
import { KEYS, RUN_KEYS } from './keys.ts';
import { keyHelpOpen } from './palette-state.ts';

export function KeyHelp() {
  const t = useTexts();
  const mayRun = useQuery(meQuery).data?.rights.includes('run') === true;
  const names = (Object.keys(KEYS) as (keyof typeof KEYS)[]).filter(
    (name) => mayRun || !RUN_KEYS.has(name),
  );
  return (
    <Dialog open onClose={() => keyHelpOpen.set(false)} title={t.shell.keys}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
        {names.map((name) => (
          <div key={name} className="contents">
            <dt className="flex gap-1">
              {KEYS[name].map((key) => (
                <kbd
                  key={key}
                  className="rounded border border-edge bg-raised px-1.5 font-mono text-xs"
                >
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{t.shell.keysOf[name]}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
