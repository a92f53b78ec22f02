import { useMutation } from '@tanstack/react-query';
import { ChevronDown, Download } from 'lucide-react';
import { useState } from 'react';
import type { Session } from '../../src/contract/session.ts';
import { client } from '../api/client.ts';
import { download } from '../api/download.ts';
import { loadPatiently } from '../api/load-patiently.ts';
import { saveExport } from '../api/save-export.ts';
import { Button } from '../parts/button.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { Notice } from '../parts/notice.tsx';
import { problemOf } from '../parts/problem.ts';
import { duration, exactTime } from '../parts/time.tsx';
import { useStore } from '../state/store.ts';
import { language } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import type { ExportFormat } from './export-choice.tsx';

const ExportChoice = lazyPart(
  () => import('./export-choice.tsx'),
  'ExportChoice',
  ({ children }) => children,
);

/** Exports the whole session as JSON or Markdown. */
export function ExportMenu({ session }: { session: Session }) {
  const t = useTexts();
  const locale = useStore(language);
  const [isAsked, setIsAsked] = useState(false);
  const { mutate, error, isPending } = useMutation({
    mutationFn: async (format: ExportFormat) => {
      const input = { params: { id: session.id } };
      if (format === 'ndjson') return saveExport('exportSession', input, `${session.name}.ndjson`);
      const lines = await client.exportSession(input);
      const words = {
        ...t.detail.markdown,
        run: t.common.run,
        status: t.common.status,
        time: (at: string) => exactTime(at, locale),
        duration,
      };
      const { toMarkdown } = await loadPatiently(() => import('./markdown.ts'));
      download(`${session.name}.md`, toMarkdown(lines, words), 'text/markdown');
    },
  });
  const button = (
    <Button
      disabled={isPending}
      aria-haspopup="menu"
      onPointerEnter={ExportChoice.preload}
      onClick={() => setIsAsked(true)}
    >
      <Download size={16} aria-hidden />
      {t.detail.export}
      <ChevronDown size={14} aria-hidden />
    </Button>
  );
  return (
    <>
      {isAsked ? <ExportChoice onChoose={mutate}>{button}</ExportChoice> : button}
      {error !== null && (
        <div className="basis-full">
          <Notice tone="bad" title={problemOf(error, t)} />
        </div>
      )}
    </>
  );
}
