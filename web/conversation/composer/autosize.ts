import { type RefObject, useLayoutEffect } from 'react';

/** Makes a field as tall as its text, up to what its style allows. */
export function useAutosize(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text
  useLayoutEffect(() => {
    const at = field.current;
    if (at === null) return;
    at.style.height = 'auto';
    at.style.height = `${at.scrollHeight + 2}px`;
  }, [field, text]);
}
