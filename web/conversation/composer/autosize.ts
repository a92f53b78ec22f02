import { type RefObject, useLayoutEffect } from 'react';

/**
 * Makes a field as tall as its text, up to what its style allows. In browsers without
 * `field-sizing`, forms scroll instead, but these fields must show what is being written.
 */
export function useAutosize(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text
  useLayoutEffect(() => {
    const at = field.current;
    if (at === null) return;
    at.style.height = 'auto';
    at.style.height = `${at.scrollHeight + 2}px`;
  }, [field, text]);
}
