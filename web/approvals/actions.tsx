import type { ReactNode } from 'react';
import type { ApprovalKind } from '../../src/contract/approval.ts';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../texts/texts.ts';

interface Props {
  readonly kind: ApprovalKind;
  readonly busy: boolean;
  readonly onDeny: () => void;
  readonly onEdit: () => void;
  readonly onAllow: (scope: 'once' | 'session') => void;
}

/** In the order of safety. A plan is agreed to once. */
export function Actions({ kind, busy, onDeny, onEdit, onAllow }: Props) {
  const t = useTexts();
  const isTool = kind === 'tool';
  return (
    <div className="flex flex-wrap gap-2 max-md:grid max-md:grid-cols-2 max-md:*:min-h-12">
      <Button look="danger" disabled={busy} onClick={onDeny} aria-keyshortcuts="d">
        {t.approvals.deny}
        <Key>d</Key>
      </Button>
      <Button disabled={busy} onClick={onEdit} aria-keyshortcuts="e">
        {t.approvals.edit}
        <Key>e</Key>
      </Button>
      <Button
        look="primary"
        disabled={busy}
        onClick={() => onAllow('once')}
        aria-keyshortcuts="a"
        className="max-md:col-span-2"
      >
        {isTool ? t.approvals.allowOnce : t.approvals.agree}
        <Key>a</Key>
      </Button>
      {isTool && (
        <Button
          disabled={busy}
          onClick={() => onAllow('session')}
          aria-keyshortcuts="s"
          className="max-md:col-span-2"
        >
          {t.approvals.allowSession}
          <Key>s</Key>
        </Button>
      )}
    </div>
  );
}

const Key = ({ children }: { children: ReactNode }) => (
  <kbd
    className="rounded border border-current px-1 font-mono text-xs leading-4 opacity-80 max-md:hidden"
    aria-hidden
  >
    {children}
  </kbd>
);
