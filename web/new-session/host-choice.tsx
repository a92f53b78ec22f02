import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Field } from '../parts/field.tsx';
import { useTexts } from '../texts/texts.ts';
import { hostsQuery } from './queries.ts';

interface Props {
  /** The id of the host; empty for any. */
  readonly host: string;
  readonly onChange: (host: string) => void;
  readonly error: string | undefined;
}

/** Chooses the machine on which the agent runs. Hidden while there is only one machine. */
export function HostChoice({ host, onChange, error }: Props) {
  const t = useTexts();
  const { data: hosts = [], refetch } = useQuery(hostsQuery);
  // An error means that this page's list of hosts is out of date.
  useEffect(() => {
    if (error !== undefined) void refetch();
  }, [error, refetch]);
  if (hosts.length <= 1 && host === '' && error === undefined) return null;
  // A host chosen in a draft may be gone by now.
  const isKnown = host === '' || hosts.some(({ id }) => id === host);
  return (
    <Field label={t.newSession.host} hint={t.newSession.hostHelp} error={error}>
      {(props) => (
        <select
          {...props}
          name="host"
          value={host}
          onChange={({ target }) => onChange(target.value)}
        >
          <option value="">{t.newSession.anyHost}</option>
          {hosts.map(({ id, name, alive }) => (
            <option key={id} value={id}>
              {alive ? name : t.newSession.awayHost(name)}
            </option>
          ))}
          {!isKnown && <option value={host}>{host}</option>}
        </select>
      )}
    </Field>
  );
}
