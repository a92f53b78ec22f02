import type { ReactNode } from 'react';
import type { Approval } from '../../src/contract/approval.ts';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../texts/texts.ts';

interface Props {
  readonly approval: Approval;
  readonly busy: boolean;
  /** Whether shortcut keys act on this card now. */
  readonly keys: boolean;
  /** Whether a key may allow the call; otherwise only a button can. */
  readonly keysAllow: boolean;
  readonly onDeny: () => void;
  readonly onEdit: () => void;
  readonly onAllow: (scope: 'once' | 'session') => void;
}

/** Safest first. "For this session" is offered only if a rule can match exactly this call. */
export function Actions({ approval, busy, keys, keysAllow, onDeny, onEdit, onAllow }: Props) {
  const t = useTexts();
  const { kind, sessionRule } = approval;
  return (
    <div
      data-keys={keys ? 'ready' : undefined}
      className="group flex flex-wrap gap-2 max-md:grid max-md:grid-cols-2 max-md:*:min-h-12"
    >
      <Button variant="danger" disabled={busy} onClick={onDeny} aria-keyshortcuts="d">
        {t.approvals.deny}
        <Key>d</Key>
      </Button>
      <Button disabled={busy} onClick={onEdit} aria-keyshortcuts="e">
        {t.approvals.edit}
        <Key>e</Key>
      </Button>
      <Button
        variant="primary"
        disabled={busy}
        onClick={() => onAllow('once')}
        aria-keyshortcuts={keysAllow ? 'a' : undefined}
        className="max-md:col-span-2"
      >
        {kind === 'tool' ? t.approvals.allowOnce : t.approvals.agree}
        {keysAllow && <Key>a</Key>}
      </Button>
      {sessionRule !== null && (
        <Button
          disabled={busy}
          onClick={() => onAllow('session')}
          aria-keyshortcuts={keysAllow ? 's' : undefined}
          className="max-md:col-span-2"
        >
          {t.approvals.allowSession}
          {keysAllow && <Key>s</Key>}
        </Button>
      )}
    </div>
  );
}

/** A key hint, framed while the key works. */
const Key = ({ children }: { children: ReactNode }) => (
  <kbd
    className="rounded border border-transparent px-1 font-mono text-xs leading-4 opacity-80 group-data-[keys=ready]:border-current max-md:hidden"
    aria-hidden
  >
    {children}
  </kbd>
);
