import { useState } from 'react';
import { capabilitiesOf } from '../../../src/contract/agent-kinds.ts';
import type { AgentKind } from '../../../src/contract/session.ts';
import { readStored, writeStored } from '../../state/stored.ts';
import { useTexts } from '../../texts/texts.ts';
import type { OnBusy } from '../outbox/outbox.ts';

const ON_BUSY = 'baton.onBusy';

/** Only some agents accept follow-ups, and none accept files with them. */
const choicesOf = (kind: AgentKind, hasFiles: boolean): readonly OnBusy[] =>
  capabilitiesOf(kind).steers && !hasFiles
    ? ['enqueue', 'interrupt', 'steer']
    : ['enqueue', 'interrupt'];

/** The last choice, made here or in another session. */
export function useOnBusy(
  kind: AgentKind,
  hasFiles: boolean,
): readonly [OnBusy, (next: OnBusy) => void] {
  const [chosen, setChosen] = useState(() => readStored(ON_BUSY));
  const value = choicesOf(kind, hasFiles).find((each) => each === chosen) ?? 'enqueue';
  const choose = (next: OnBusy): void => {
    writeStored(ON_BUSY, next);
    setChosen(next);
  };
  return [value, choose];
}

interface Props {
  readonly kind: AgentKind;
  readonly hasFiles: boolean;
  readonly value: OnBusy;
  readonly onChange: (next: OnBusy) => void;
  readonly className: string;
}

/** What happens to a message sent while the agent is working. */
export function BusyChoice({ kind, hasFiles, value, onChange, className }: Props) {
  const t = useTexts();
  return (
    <fieldset className={`flex rounded border border-edge ${className}`}>
      <legend className="sr-only">{t.conversation.whileBusy}</legend>
      {choicesOf(kind, hasFiles).map((each) => (
        <label
          key={each}
          title={t.conversation.onBusyHelp[each]}
          className="flex min-h-7 cursor-pointer items-center justify-center px-2 text-xs whitespace-nowrap max-sm:grow text-soft first-of-type:rounded-l last-of-type:rounded-r has-checked:bg-raised has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent max-md:min-h-11 max-md:min-w-11"
        >
          <input
            type="radio"
            name="onBusy"
            value={each}
            checked={each === value}
            onChange={() => onChange(each)}
            className="sr-only"
          />
          {t.conversation.onBusy[each]}
        </label>
      ))}
    </fieldset>
  );
}
