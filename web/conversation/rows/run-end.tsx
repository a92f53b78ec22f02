import { client } from '../../api/client.ts';
import { Money } from '../../parts/money.tsx';
import { Notice } from '../../parts/notice.tsx';
import { duration } from '../../parts/time.tsx';
import { useTexts } from '../../texts/texts.ts';
import { Action } from '../action.tsx';
import type { EndBlock } from '../log/blocks.ts';
import type { RunInfo } from '../log/run-cache.ts';
import { Line } from './line.tsx';

interface Props {
  readonly block: EndBlock;
  readonly info: RunInfo | null | undefined;
}

/** The end of a run: result, duration and cost, and actions if it failed. */
export function RunEnd({ block, info }: Props) {
  const t = useTexts();
  const { state, error, durationMs, over } = block;
  const costUsd = block.costUsd ?? info?.costUsd ?? 0;
  const bad = state === 'failed' || state === 'dead';
  return (
    <div className="space-y-3">
      {bad && <Failed block={block} />}
      {state === 'cancelled' && !over && error !== null && (
        <p className="flex flex-wrap items-center gap-2 px-1 text-dense text-soft">
          {t.conversation.cancelled}
          <Again runId={block.runId} />
        </p>
      )}
      <Line at={block.at}>
        <span className={STYLES[state]}>{t.common.run[state]}</span>
        {durationMs !== null && <span className="figures">{duration(durationMs)}</span>}
        {costUsd > 0 && <Money usd={costUsd} />}
      </Line>
    </div>
  );
}

const STYLES: Record<EndBlock['state'], string> = {
  succeeded: 'text-good',
  failed: 'text-bad',
  dead: 'text-bad',
  cancelled: '',
};

function Failed({ block: { state, error, over, runId } }: { block: EndBlock }) {
  const t = useTexts();
  const failed = t.conversation.failed;
  const of = error?.class ?? 'unknown';
  const title = Object.hasOwn(failed, of) ? failed[of as keyof typeof failed] : failed.unknown;
  return (
    <Notice
      tone={over ? 'info' : 'bad'}
      title={title}
      {...(!over && { actions: <Again runId={runId} /> })}
    >
      {state === 'dead' && of !== 'poisoned' && <p>{t.conversation.gaveUp}</p>}
      {error !== null && <p className="font-mono whitespace-pre-wrap">{error.message}</p>}
    </Notice>
  );
}

function Again({ runId }: { runId: string | null }) {
  const t = useTexts();
  return (
    <Action act={() => client.retryRun({ params: { id: runId ?? '' } })}>
      {t.conversation.retryRun}
    </Action>
  );
}
