import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { Session } from '../../src/contract/session.ts';
import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { download } from '../parts/download.ts';
import { Notice } from '../parts/notice.tsx';
import { problemOf } from '../parts/problem.ts';
import { useStore } from '../parts/store.ts';
import { duration, exactTime } from '../parts/time.tsx';
import { language } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import { toMarkdown } from './markdown.ts';

/** The whole session as a file: for programs, or to read. */
export function ExportMenu({ session }: { session: Session }) {
  const t = useTexts();
  const locale = useStore(language);
  const { mutate, error, isPending } = useMutation({
    mutationFn: async (format: 'ndjson' | 'md') => {
      const lines = await client.exportSession({ params: { id: session.id } });
      if (format === 'ndjson')
        return download(`${session.name}.ndjson`, lines, 'application/x-ndjson');
      const words = {
        ...t.detail.markdown,
        run: t.common.run,
        status: t.common.status,
        time: (at: string) => exactTime(at, locale),
        duration,
      };
      download(`${session.name}.md`, toMarkdown(lines, words), 'text/markdown');
    },
  });
  return (
    <>
      <Button disabled={isPending} onClick={() => mutate('ndjson')}>
        <Download size={16} aria-hidden />
        {t.detail.exportJson}
      </Button>
      <Button disabled={isPending} onClick={() => mutate('md')}>
        <Download size={16} aria-hidden />
        {t.detail.exportMarkdown}
      </Button>
      {error !== null && (
        <div className="basis-full">
          <Notice tone="bad" title={problemOf(error, t)} />
        </div>
      )}
    </>
  );
}
