import { useEffect, useRef } from 'react';

/*
 * Single-letter shortcuts of a page or component; the shell tries these before its own
 * (shell/global-shortcuts.ts).
 */

/** Returns whether the key was handled; if not, the next handler is tried. */
export type KeyAction = () => boolean;
type Keys = Readonly<Record<string, KeyAction>>;

const layers = new Set<{ current: Keys }>();

export function usePageKeys(keys: Keys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    layers.add(latest);
    return () => void layers.delete(latest);
  }, []);
}

/** Whether a handler handled the key. */
export function pressPageKey(key: string): boolean {
  for (const { current } of [...layers]) {
    const act = Object.hasOwn(current, key) ? current[key] : undefined;
    if (act?.() === true) return true;
  }
  return false;
}
