import { expect, it } from 'vitest';
import { Following } from './following.ts';

/** A 400 px box at this scroll position. */
const at = (scrollTop: number, scrollHeight: number) => ({
  scrollTop,
  scrollHeight,
  clientHeight: 400,
});

/** A box scrolled to the end of 1000 px. */
function atEnd(): Following {
  const following = new Following();
  following.scrolled(at(600, 1000), 0);
  return following;
}

it('[C2] growth between a scroll and its event does not stop following', () => {
  const following = atEnd();
  following.scrolled(at(600, 1143), 20);
  expect(following.isOn).toBe(true);
  following.scrolled(at(743, 1426), 40);
  expect(following.isOn).toBe(true);
});

it('[C2] neither does content that shrinks and grows again, which makes the browser scroll up', () => {
  const following = atEnd();
  following.scrolled(at(520, 1100), 20);
  expect(following.isOn).toBe(true);
});

it('[C2] a user who scrolls up stops it at once, and returning to the end resumes it', () => {
  const following = atEnd();
  following.gesture(10);
  following.scrolled(at(590, 1000), 20);
  expect(following.isOn).toBe(false);
  // Momentum scrolling, long after the last touch event.
  for (let now = 120; now < 3000; now += 300) following.scrolled(at(590 - now / 10, 1000), now);
  following.scrolled(at(500, 1000), 4000);
  expect(following.isOn).toBe(false);
  following.scrolled(at(545, 1000), 5000);
  expect(following.isOn).toBe(true);
});

it('[C2] dragging the scrollbar counts as long as it is held', () => {
  const following = atEnd();
  following.hold(true);
  following.scrolled(at(300, 1000), 60_000);
  expect(following.isOn).toBe(false);
  following.set(true);
  following.hold(false);
  following.scrolled(at(200, 1000), 120_000);
  expect(following.isOn).toBe(true);
});
