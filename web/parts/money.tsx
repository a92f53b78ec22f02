import { useTexts } from '../texts/texts.ts';

/** Rounded to the cent; `<$0.01` below one cent. */
export function Money({ usd, className = '' }: { usd: number; className?: string }) {
  const t = useTexts();
  return <span className={`figures ${className}`}>{money(usd, t.common.lessThanACent)}</span>;
}

export const money = (usd: number, lessThanACent: string): string =>
  usd > 0 && usd < 0.01
    ? lessThanACent
    : `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
