import { useState } from 'react';

/** What is open stays so while it is scrolled away. */
const opened = new Set<string>();

export function useOpened(id: string): readonly [boolean, () => void] {
  const [open, setOpen] = useState(() => opened.has(id));
  const toggle = (): void => {
    if (open) opened.delete(id);
    else opened.add(id);
    setOpen(!open);
  };
  return [open, toggle];
}
