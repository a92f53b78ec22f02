import { Dialog } from '../parts/dialog.tsx';
import { useTexts } from '../texts/texts.ts';
import { KEYS } from './keys.ts';
import { keyHelpOpen } from './palette-state.ts';

export function KeyHelp() {
  const t = useTexts();
  return (
    <Dialog open onClose={() => keyHelpOpen.set(false)} title={t.shell.keys}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
        {(Object.keys(KEYS) as (keyof typeof KEYS)[]).map((name) => (
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
