import { useEffect, useRef } from 'react';

/* Single letters that a page or a part of it understands; the shell asks here before its own (shell/keys.ts). */

/** Whether it took the key; else the next one is asked. */
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

/** Whether somebody has taken the key. */
export function pressPageKey(key: string): boolean {
  for (const { current } of [...layers]) {
    const act = Object.hasOwn(current, key) ? current[key] : undefined;
    if (act?.() === true) return true;
  }
  return false;
}
