import type { KeyboardEvent } from 'react';

/** A key that belongs to the composition of a word, also in browsers that say late that it has ended. */
export const isComposing = ({ nativeEvent, keyCode }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || keyCode === 229;
