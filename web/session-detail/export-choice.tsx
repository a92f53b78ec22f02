import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';

const ITEM =
  'flex min-h-9 cursor-pointer items-center rounded px-2.5 outline-none data-highlighted:bg-raised max-md:min-h-11';

export type ExportFormat = 'ndjson' | 'md';

interface Props {
  readonly onChoose: (format: ExportFormat) => void;
  /** The button that opens the menu. */
  readonly children: ReactNode;
}

/** Open from the start, because the menu is loaded only when the user opens it. */
export function ExportChoice({ onChoose, children }: Props) {
  const t = useTexts();
  return (
    <DropdownMenu.Root defaultOpen>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          sideOffset={4}
          className="z-50 min-w-44 animate-appear rounded border border-edge bg-panel p-1 shadow-float"
        >
          <DropdownMenu.Item className={ITEM} onSelect={() => onChoose('md')}>
            {t.detail.exportMarkdown}
          </DropdownMenu.Item>
          <DropdownMenu.Item className={ITEM} onSelect={() => onChoose('ndjson')}>
            {t.detail.exportJson}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
