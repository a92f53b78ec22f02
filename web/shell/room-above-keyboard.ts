import { useEffect } from 'react';

/** Anything smaller than this is a browser toolbar, which `dvh` accounts for. */
const LEAST_KEYBOARD_PX = 80;

/**
 * Keeps the page above an on-screen keyboard that overlays it, as in Safari; other browsers resize
 * the window (`interactive-widget`).
 */
export function useRoomAboveKeyboard(): void {
  useEffect(() => {
    const seen = window.visualViewport;
    if (seen === null) return;
    const { style } = document.documentElement;
    const fit = (): void => {
      // Zooming also shrinks the visible part.
      const room = Math.round(seen.height * seen.scale);
      const isCovered = document.documentElement.clientHeight - room > LEAST_KEYBOARD_PX;
      if (isCovered) style.setProperty('--room', `${room}px`);
      else style.removeProperty('--room');
      // Safari has scrolled the page up to show the field; that is no longer necessary.
      if (isCovered && seen.scale === 1) window.scrollTo(0, 0);
    };
    seen.addEventListener('resize', fit);
    return () => seen.removeEventListener('resize', fit);
  }, []);
}
