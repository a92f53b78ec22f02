import type { KeyboardEvent, TextareaHTMLAttributes } from 'react';
import { isComposing } from './composing.ts';

/*
 * Enter in a multi-line field. On a physical keyboard, Enter sends and Shift+Enter starts a new
 * line. On-screen keyboards have no such Shift, so there Enter starts a new line and the button
 * sends. The browser does not say which keyboard is in use; whether the main pointer is a finger is
 * the best clue. Ctrl+Enter and ⌘ Enter send everywhere.
 */

const isTouch = (): boolean => matchMedia('(pointer: coarse)').matches;

/** Whether a key press sends the text. */
export const isSend = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' &&
  !isComposing(event) &&
  (event.ctrlKey || event.metaKey || (!event.shiftKey && !isTouch()));

type Hint = TextareaHTMLAttributes<HTMLTextAreaElement>['enterKeyHint'];

/** Label of the Enter key on an on-screen keyboard. */
export const enterHint = (sends: Hint): Hint => (isTouch() ? 'enter' : sends);
