import { useEffect } from 'react';

/**
 * The browser's search finds only what is on the page, so its shortcut opens our search instead;
 * pressing it again opens the browser's.
 */
export function useSearchKey(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isFind = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === 'f';
      const isOpen = document.activeElement?.closest('search') != null;
      if (!isFind || isOpen || event.defaultPrevented) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [open]);
}
