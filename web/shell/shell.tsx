import { Outlet } from '@tanstack/react-router';
import { PanelLeft } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { IconButton } from '../parts/button.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { waitingCount } from '../parts/page.tsx';
import { useStore } from '../state/store.ts';
import { readStored, writeStored } from '../state/stored.ts';
import { useTexts } from '../texts/texts.ts';
import { BottomBar } from './bottom-bar.tsx';
import { ConnectionBar } from './connection.tsx';
import { useKeys } from './global-shortcuts.ts';
import type { NavPage } from './nav-page.ts';
import { keyHelpOpen, paletteOpen } from './palette-state.ts';
import { useRoomAboveKeyboard } from './room-above-keyboard.ts';
import { Sidebar } from './sidebar.tsx';
import { SignedOut } from './signed-out.tsx';
import { StopBanner } from './stop-banner.tsx';
import { useWaiting } from './use-waiting.ts';
import { useIsWide } from './wide.ts';

// Loaded when opened.
const Palette = lazyPart(() => import('./palette.tsx'), 'Palette');
const KeyHelp = lazyPart(() => import('./key-help.tsx'), 'KeyHelp');

const COLLAPSED = 'baton.sidebar';

/** The frame around every page. */
export function Shell({ pages }: { pages: readonly NavPage[] }) {
  const t = useTexts();
  const [open, setOpen] = useState(() => readStored(COLLAPSED) !== 'hidden');
  const show = (next: boolean): void => {
    writeStored(COLLAPSED, next ? 'shown' : 'hidden');
    setOpen(next);
  };
  const isWide = useIsWide();
  const isPaletteOpen = useStore(paletteOpen);
  const isKeyHelpOpen = useStore(keyHelpOpen);
  useKeys(pages);
  useRoomAboveKeyboard();
  const { count: waiting } = useWaiting();
  useEffect(() => waitingCount.set(waiting), [waiting]);
  return (
    <div className="flex h-[var(--room,100dvh)] flex-col">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded focus:bg-panel focus:px-3 focus:py-2"
      >
        {t.shell.skip}
      </a>
      <ConnectionBar />
      <StopBanner />
      <div className="flex min-h-0 grow">
        {isWide && open && <Sidebar pages={pages} onCollapse={() => show(false)} />}
        <div className="relative min-w-0 grow">
          {isWide && !open && (
            <IconButton
              label={t.shell.expand}
              onClick={() => show(true)}
              className="absolute top-2 left-2 z-10"
            >
              <PanelLeft size={16} />
            </IconButton>
          )}
          <main
            id="main"
            tabIndex={-1}
            className={`h-full outline-none ${isWide && !open ? 'pl-10' : ''}`}
          >
            <Suspense>
              <Outlet />
            </Suspense>
          </main>
        </div>
      </div>
      {!isWide && <BottomBar pages={pages} />}
      {isPaletteOpen && <Palette pages={pages} />}
      {isKeyHelpOpen && <KeyHelp pages={pages} />}
      <SignedOut />
    </div>
  );
}
