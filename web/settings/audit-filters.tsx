import { useQuery } from '@tanstack/react-query';
import { ListFilter } from 'lucide-react';
import { type InputHTMLAttributes, useState } from 'react';
import { AuditAction } from '../../src/contract/audit.ts';
import { Channel } from '../../src/contract/message.ts';
import { userNamesQuery } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { useIsWide } from '../shell/wide.ts';
import { useTexts } from '../texts/texts.ts';
import { type AuditForm, NO_FILTER } from './audit-filter.ts';

interface AuditFiltersProps {
  readonly form: AuditForm;
  readonly onChange: (form: AuditForm) => void;
}

export function AuditFilters({ form, onChange }: AuditFiltersProps) {
  const t = useTexts();
  const { data: users } = useQuery(userNamesQuery);
  const isFiltered = Object.values(form).some((value) => value !== '');
  const choice = (
    field: keyof AuditForm,
    label: string,
    any: string,
    options: readonly (readonly [value: string, name: string])[],
  ) => (
    <Field label={label}>
      {(props) => (
        <select
          {...props}
          value={form[field]}
          onChange={({ target }) => onChange({ ...form, [field]: target.value })}
        >
          <option value="">{any}</option>
          {options.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
  const line = (
    field: keyof AuditForm,
    label: string,
    more: InputHTMLAttributes<HTMLInputElement> = {},
  ) => (
    <Field label={label}>
      {(props) => (
        <input
          {...props}
          {...more}
          value={form[field]}
          onChange={({ target }) => onChange({ ...form, [field]: target.value })}
        />
      )}
    </Field>
  );
  const isWide = useIsWide();
  const [isOpen, setOpen] = useState(false);
  // On a phone the filters would fill the first screen.
  if (!isWide && !isOpen && !isFiltered) {
    return (
      <Button className="mb-3 w-full" onClick={() => setOpen(true)}>
        <ListFilter size={16} aria-hidden />
        {t.shell.filters}
      </Button>
    );
  }
  return (
    <div className="grid gap-x-3 sm:grid-cols-2 lg:grid-cols-3 [&>*]:max-md:mb-2">
      {choice('userId', t.settings.user, t.settings.anyUser, [...(users ?? [])])}
      {choice(
        'action',
        t.settings.action,
        t.settings.anyAction,
        AuditAction.options.map((each) => [each, t.audit.actions[each]] as const),
      )}
      {choice(
        'channel',
        t.settings.channel,
        t.settings.anyChannel,
        Channel.options.map((each) => [each, t.common.channels[each]] as const),
      )}
      {line('target', t.settings.target, {
        placeholder: t.settings.targetHint,
        maxLength: 200,
        spellCheck: false,
      })}
      {line('fromDay', t.settings.from, { type: 'date' })}
      {line('toDay', t.settings.to, { type: 'date' })}
      {isFiltered && (
        <div className="mb-4">
          <Button size="small" className="max-md:min-h-11" onClick={() => onChange(NO_FILTER)}>
            {t.shell.clearFilters}
          </Button>
        </div>
      )}
    </div>
  );
}
