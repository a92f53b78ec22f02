import type { KeyboardEvent } from 'react';

/** Whether a key belongs to an IME composition, even in browsers that report its end late. */
export const isComposing = ({ nativeEvent, keyCode }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || keyCode === 229;
