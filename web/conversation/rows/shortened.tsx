import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { client } from '../../api/client.ts';
import { download } from '../../api/download.ts';
import { Button } from '../../parts/button.tsx';
import { problemOf } from '../../parts/problem.ts';
import { useTexts } from '../../texts/texts.ts';
import { useConversation } from '../context.ts';
import type { TextBlock } from '../log/blocks.ts';
import { wholeText } from './whole-text.ts';

/** Says that only the end of a long text is shown, and offers the full text for download. */
export function Shortened({ block: { runId, seq } }: { block: TextBlock }) {
  const t = useTexts();
  const { session } = useConversation();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async () => {
      const text = runId === null ? null : await wholeText(client, runId, seq);
      if (text !== null) download(`${session.name}.txt`, text, 'text/plain');
      return text !== null;
    },
  });
  return (
    <div className="flex flex-wrap items-center gap-x-2 text-dense text-soft">
      <span>{t.conversation.onlyEnd}</span>
      {data !== false && (
        <Button
          size="small"
          variant="quiet"
          className="max-md:min-h-11"
          disabled={isPending}
          onClick={() => mutate()}
        >
          <Download size={14} aria-hidden />
          {t.conversation.downloadAll}
        </Button>
      )}
      {data === false && <span role="alert">{t.conversation.restMissing}</span>}
      {error !== null && <span role="alert">{problemOf(error, t)}</span>}
    </div>
  );
}
