import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';
import { IconButton } from './button.tsx';

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** One sentence under the title. */
  readonly about?: string;
  readonly children: ReactNode;
}

export function Dialog({ open, onClose, title, about, children }: DialogProps) {
  const t = useTexts();
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-appear bg-scrim" />
        <Radix.Content
          {...(about === undefined ? { 'aria-describedby': undefined } : {})}
          className="fixed top-1/2 left-1/2 z-50 max-h-[85dvh] w-[min(520px,calc(100vw-24px))] -translate-x-1/2 -translate-y-1/2 animate-appear overflow-y-auto rounded border border-edge bg-panel p-5 shadow-float max-md:p-4"
        >
          <div className="mb-3 flex items-start justify-between gap-3">
            <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton label={t.common.close} className="-mt-1 -mr-2">
                <X size={16} />
              </IconButton>
            </Radix.Close>
          </div>
          {about !== undefined && (
            <Radix.Description className="mb-4 text-soft">{about}</Radix.Description>
          )}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
