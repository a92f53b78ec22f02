import { type RefObject, useCallback, useEffect, useMemo, useState } from 'react';
import { Following } from './following.ts';

/** Keeps the end of a scrolling element in view until the user scrolls up. */
export function useFollowing(scroller: RefObject<HTMLElement | null>) {
  const following = useMemo(() => new Following(), []);
  /** The state as of the last event; `following` is updated earlier. */
  const [isOn, setIsOn] = useState(true);
  const set = useCallback(
    (next: boolean): void => {
      following.set(next);
      setIsOn(next);
    },
    [following],
  );
  useEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const stop = new AbortController();
    const options = { passive: true, signal: stop.signal };
    const gesture = (): void => following.gesture(performance.now());
    // Focusing an element scrolls to it.
    for (const type of ['touchmove', 'keydown', 'focusin'])
      box.addEventListener(type, gesture, options);
    box.addEventListener('wheel', ({ deltaY }) => deltaY < 0 && gesture(), options);
    box.addEventListener('pointerdown', () => following.hold(true), options);
    for (const type of ['pointerup', 'pointercancel'])
      addEventListener(type, () => following.hold(false), options);
    box.addEventListener(
      'scroll',
      () => {
        following.scrolled(box, performance.now());
        setIsOn(following.isOn);
      },
      options,
    );
    return () => stop.abort();
  }, [scroller, following]);
  return { following, isOn, set };
}
