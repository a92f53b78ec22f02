import { useTexts } from '../texts/texts.ts';

/** Shown beside a cost that the agent could not report. */
export function Estimated() {
  const t = useTexts();
  return (
    <span className="text-soft" title={t.detail.estimatedHelp}>
      {` (${t.detail.estimated})`}
    </span>
  );
}
