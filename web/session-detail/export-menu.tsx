import { useMutation } from '@tanstack/react-query';
import { ChevronDown, Download } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
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

const ITEM =
  'flex min-h-9 cursor-pointer items-center rounded px-2.5 outline-none data-highlighted:bg-raised max-md:min-h-11';

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
      <DropdownMenu.Root>
        <DropdownMenu.Trigger asChild>
          <Button disabled={isPending}>
            <Download size={16} aria-hidden />
            {t.detail.export}
            <ChevronDown size={14} aria-hidden />
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="start"
            sideOffset={4}
            className="z-50 min-w-44 animate-appear rounded border border-edge bg-panel p-1 shadow-float"
          >
            <DropdownMenu.Item className={ITEM} onSelect={() => mutate('md')}>
              {t.detail.exportMarkdown}
            </DropdownMenu.Item>
            <DropdownMenu.Item className={ITEM} onSelect={() => mutate('ndjson')}>
              {t.detail.exportJson}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {error !== null && (
        <div className="basis-full">
          <Notice tone="bad" title={problemOf(error, t)} />
        </div>
      )}
    </>
  );
}
