import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { saveExport } from '../api/save-export.ts';
import { Button } from '../parts/button.tsx';
import { LoadError, Notice } from '../parts/notice.tsx';
import { problemOf } from '../parts/problem.ts';
import { Section } from '../parts/section.tsx';
import { useTexts } from '../texts/texts.ts';
import { type AuditFilter, NO_FILTER, toFilter } from './audit-filter.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditLine } from './audit-line.tsx';
import { auditQuery } from './queries.ts';

const TYPED_MS = 250;

/** The audit log, newest first. */
export function Audit() {
  const t = useTexts();
  const [form, setForm] = useState(NO_FILTER);
  const [filter, setFilter] = useState<AuditFilter>({});
  // Wait for a pause in typing.
  useEffect(() => {
    const timer = setTimeout(() => setFilter(toFilter(form)), TYPED_MS);
    return () => clearTimeout(timer);
  }, [form]);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    auditQuery(filter),
  );
  const save = useMutation({
    mutationFn: () => {
      const name = `audit-${new Date().toISOString().slice(0, 10)}.ndjson`;
      return saveExport('exportAudit', { query: { ...filter } }, name);
    },
  });
  const entries = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section
      about={t.settings.auditHelp}
      actions={
        <Button disabled={save.isPending} onClick={() => save.mutate()}>
          <Download size={16} aria-hidden />
          {t.settings.exportAudit}
        </Button>
      }
    >
      <AuditFilters form={form} onChange={setForm} />
      {save.error !== null && (
        <div className="mb-3">
          <Notice tone="bad" title={problemOf(save.error, t)} />
        </div>
      )}
      {error !== null && <LoadError error={error} retry={() => void refetch()} />}
      {data !== undefined && entries.length === 0 && (
        <p className="text-dense text-soft">{t.settings.noAudit}</p>
      )}
      <ol
        className="-mx-4 divide-y divide-edge border-t border-edge"
        aria-label={t.settings.sections.audit}
      >
        {entries.map((entry) => (
          <AuditLine key={entry.seq} entry={entry} />
        ))}
      </ol>
      {hasNextPage && (
        <Button
          variant="quiet"
          size="small"
          className="mt-2"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t.common.loadMore}
        </Button>
      )}
    </Section>
  );
}
