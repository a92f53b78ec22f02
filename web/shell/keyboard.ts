import { useEffect } from 'react';

/** What is covered below this is a bar of the browser, which `dvh` knows of. */
const LEAST_KEYBOARD_PX = 80;

/**
 * Keeps the page above a keyboard that lies over it, as Safari's does; in other browsers the window
 * becomes smaller by itself (`interactive-widget`), and there is nothing to do.
 */
export function useRoomAboveKeyboard(): void {
  useEffect(() => {
    const seen = window.visualViewport;
    if (seen === null) return;
    const { style } = document.documentElement;
    const fit = (): void => {
      // Who zooms in sees less of the page, too.
      const room = Math.round(seen.height * seen.scale);
      const isCovered = document.documentElement.clientHeight - room > LEAST_KEYBOARD_PX;
      if (isCovered) style.setProperty('--room', `${room}px`);
      else style.removeProperty('--room');
      // Safari has moved the page up to show the field, which now needs no moving.
      if (isCovered && seen.scale === 1) window.scrollTo(0, 0);
    };
    seen.addEventListener('resize', fit);
    return () => seen.removeEventListener('resize', fit);
  }, []);
}
