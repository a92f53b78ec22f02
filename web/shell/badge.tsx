import { useTexts } from '../texts/texts.ts';
import { useWaiting } from './use-waiting.ts';

/** The number of waiting questions; nothing if there are none. */
export function WaitingBadge({ className = '' }: { className?: string }) {
  const t = useTexts();
  const { count, isMore } = useWaiting();
  if (count === 0) return null;
  const label = isMore ? t.shell.waitingMore(count) : t.shell.waiting(count);
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      className={`figures rounded-full bg-accent px-1.5 text-xs text-on-accent ${className}`}
    >
      {isMore ? `${count}+` : count}
    </span>
  );
}
