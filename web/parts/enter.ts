import type { KeyboardEvent, TextareaHTMLAttributes } from 'react';
import { isComposing } from './composing.ts';

/*
 * Enter in a field of several lines. At a keyboard it sends, and with Shift makes a new line. A keyboard
 * on the screen has no such Shift, so there Enter makes the new line and the button sends. The browser
 * does not say which of the two is used; a finger as the main pointer is the nearest to it, and
 * Ctrl+Enter or ⌘ Enter sends wherever there is one.
 */

const isTouch = (): boolean => matchMedia('(pointer: coarse)').matches;

/** Whether a key sends what is written. */
export const isSend = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' &&
  !isComposing(event) &&
  (event.ctrlKey || event.metaKey || (!event.shiftKey && !isTouch()));

type Hint = TextareaHTMLAttributes<HTMLTextAreaElement>['enterKeyHint'];

/** What a keyboard on the screen writes on its Enter key, given what Enter does at others. */
export const enterHint = (sends: Hint): Hint => (isTouch() ? 'enter' : sends);
