import type { KeyboardEvent } from 'react';

/*
 * Every row has buttons of its own, and there are many rows: the tab key reaches those of one, and
 * the arrow keys go from there to the others.
 */

const TOOLS = '[data-row-tools]';

/** Moves the focus from the buttons of a row to those of the row above or below. */
export function moveAmongRows(event: KeyboardEvent<HTMLElement>): void {
  const { target, key, currentTarget } = event;
  if (!(target instanceof Element) || target.closest(TOOLS) === null) return;
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return;
  event.preventDefault();
  const next = rowAt(target) + (key === 'ArrowUp' ? -1 : 1);
  currentTarget.querySelector<HTMLElement>(`[data-index="${next}"] ${TOOLS} button`)?.focus();
}

/** The place of the row that a part of the page is in; -1 if in none. */
export const rowAt = (part: Element): number =>
  Number(part.closest<HTMLElement>('[data-index]')?.dataset['index'] ?? -1);
