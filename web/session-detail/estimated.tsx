import { useTexts } from '../texts/texts.ts';

/** Beside a cost that the agent could not report. */
export function Estimated() {
  const t = useTexts();
  return (
    <span className="text-soft" title={t.detail.estimatedHelp}>
      {` (${t.detail.estimated})`}
    </span>
  );
}
