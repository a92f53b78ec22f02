import { Check, Copy } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useTexts } from '../texts/texts.ts';
import { IconButton } from './button.tsx';

interface Props {
  readonly text: string | (() => string);
  /** `Copy` by default. */
  readonly label?: string;
  readonly icon?: ReactNode;
  readonly className?: string;
  readonly tabIndex?: number;
}

/** Copies text and briefly confirms it. */
export function CopyButton({ text, label, icon, className = '', tabIndex = 0 }: Props) {
  const t = useTexts();
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <IconButton
      label={done ? t.common.copied : (label ?? t.common.copy)}
      className={className}
      tabIndex={tabIndex}
      onClick={async () => setDone(await copy(typeof text === 'string' ? text : text()))}
    >
      {done ? <Check size={14} className="text-good" /> : (icon ?? <Copy size={14} />)}
    </IconButton>
  );
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** Without TLS, browsers offer no clipboard API. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  return done;
}
