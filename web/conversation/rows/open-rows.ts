import { useState } from 'react';

/** Open rows stay open while they are scrolled out of view. */
const openRows = new Set<string>();

export function useOpenRow(id: string): readonly [boolean, () => void] {
  const [open, setOpen] = useState(() => openRows.has(id));
  const toggle = (): void => {
    if (open) openRows.delete(id);
    else openRows.add(id);
    setOpen(!open);
  };
  return [open, toggle];
}
