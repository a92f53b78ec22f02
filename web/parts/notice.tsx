import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { problemOf } from './problem.ts';

type Tone = 'info' | 'good' | 'warn' | 'bad';

const TONES = {
  info: ['border-info bg-info-soft', 'text-info', Info],
  good: ['border-good bg-good-soft', 'text-good', CircleCheck],
  warn: ['border-warn bg-warn-soft', 'text-warn', TriangleAlert],
  bad: ['border-bad bg-bad-soft', 'text-bad', CircleAlert],
} as const;

interface NoticeProps {
  readonly tone: Tone;
  /** One plain sentence: what happened. */
  readonly title: string;
  /** Why it happened, and what was kept. */
  readonly children?: ReactNode;
  /** The one or two actions that help. */
  readonly actions?: ReactNode;
}

/** A message within the page. */
export function Notice({ tone, title, children, actions }: NoticeProps) {
  const [box, ink, Icon] = TONES[tone];
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={`flex gap-2.5 rounded border px-3 py-2.5 ${box}`}
    >
      <Icon size={16} className={`mt-0.5 shrink-0 ${ink}`} aria-hidden />
      <div className="min-w-0 grow">
        <p className="font-medium">{title}</p>
        {children !== undefined && <div className="mt-0.5 text-dense text-soft">{children}</div>}
        {actions !== undefined && <div className="mt-2 flex flex-wrap gap-2">{actions}</div>}
      </div>
    </div>
  );
}

/** Shown instead of content that could not be loaded. */
export function LoadError({ error, retry }: { error: unknown; retry: () => void }) {
  const t = useTexts();
  return (
    <Notice
      tone="bad"
      title={t.common.failedToLoad}
      actions={
        <Button size="small" onClick={retry}>
          {t.common.tryAgain}
        </Button>
      }
    >
      {problemOf(error, t)}
    </Notice>
  );
}
