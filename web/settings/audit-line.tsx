import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuditEntry } from '../../src/contract/audit.ts';
import type { Json } from '../../src/contract/values/json.ts';
import { userNamesQuery } from '../api/queries.ts';
import { Fact } from '../parts/section.tsx';
import { exactTime } from '../parts/time.tsx';
import { useStore } from '../state/store.ts';
import { language } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';

/** The name of the target, if the log contains it. */
const nameIn = (value: Json): string | null =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  typeof value['name'] === 'string'
    ? value['name']
    : null;

/** An audit entry; expands to its origin, target and previous values. */
export function AuditLine({ entry }: { entry: AuditEntry }) {
  const t = useTexts();
  const locale = useStore(language);
  const [isOpen, setIsOpen] = useState(false);
  const { data: users } = useQuery(userNamesQuery);
  const change = { before: entry.before, after: entry.after };
  const name = nameIn(entry.after) ?? nameIn(entry.before);
  const hasChange = entry.before !== null || entry.after !== null;
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full flex-wrap items-baseline gap-x-3 px-4 py-1.5 text-left hover:bg-raised max-md:min-h-11"
      >
        <span className="w-24 shrink-0 truncate font-medium">
          {users?.get(entry.userId) ?? entry.userId}
        </span>
        <span className="min-w-0 flex-1 basis-40">
          {t.audit.actions[entry.action]}
          {name !== null && <span className="text-soft">{` · ${name}`}</span>}
        </span>
        <span className="text-dense text-soft">{t.common.channels[entry.channel]}</span>
        <span className="text-dense text-soft">{exactTime(entry.at, locale)}</span>
      </button>
      {isOpen && (
        <div className="px-4 pb-3">
          <dl className="grid gap-x-4 gap-y-2 text-dense sm:grid-cols-3">
            <Fact name={t.settings.target}>
              {t.audit.targets[entry.target.kind]}{' '}
              <span className="font-mono">{entry.target.id}</span>
            </Fact>
            <Fact name={t.settings.address}>
              <span className="font-mono">{entry.address}</span>
            </Fact>
            <Fact name={t.settings.credential}>
              <span className="font-mono">{entry.credential}</span>
            </Fact>
          </dl>
          {hasChange && (
            <pre className="mt-2 overflow-x-auto rounded bg-raised p-2 font-mono text-xs whitespace-pre-wrap">
              {JSON.stringify(change, null, 2)}
            </pre>
          )}
        </div>
      )}
    </li>
  );
}
