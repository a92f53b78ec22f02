import type { KeyboardEvent } from 'react';

/*
 * Every row has its own buttons, and there are many rows. So Tab reaches the buttons of only one
 * row, and the arrow keys move to other rows.
 */

const TOOLS = '[data-row-tools]';

/** Moves the focus to the buttons of the row above or below. */
export function moveAmongRows(event: KeyboardEvent<HTMLElement>): void {
  const { target, key, currentTarget } = event;
  if (!(target instanceof Element) || target.closest(TOOLS) === null) return;
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return;
  event.preventDefault();
  const next = rowAt(target) + (key === 'ArrowUp' ? -1 : 1);
  currentTarget.querySelector<HTMLElement>(`[data-index="${next}"] ${TOOLS} button`)?.focus();
}

/** Index of the row that contains an element; -1 if none. */
export const rowAt = (part: Element): number =>
  Number(part.closest<HTMLElement>('[data-index]')?.dataset['index'] ?? -1);
