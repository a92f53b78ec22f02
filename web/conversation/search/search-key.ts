import { useEffect } from 'react';

/** The browser finds only what is on the page, so its key opens our search; pressed again, its own. */
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
