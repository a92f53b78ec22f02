import { expect, it } from 'vitest';
import { Following } from './following.ts';

/** A box of 400 px at this place of what it shows. */
const at = (scrollTop: number, scrollHeight: number) => ({
  scrollTop,
  scrollHeight,
  clientHeight: 400,
});

/** One that stands at the end of 1000 px. */
function atEnd(): Following {
  const following = new Following();
  following.scrolled(at(600, 1000), 0);
  return following;
}

it('[C2] what grows between a scroll and its event stops nothing', () => {
  const following = atEnd();
  following.scrolled(at(600, 1143), 20);
  expect(following.isOn).toBe(true);
  following.scrolled(at(743, 1426), 40);
  expect(following.isOn).toBe(true);
});

it('[C2] nor does what shrinks and grows again, by which the browser scrolls up', () => {
  const following = atEnd();
  following.scrolled(at(520, 1100), 20);
  expect(following.isOn).toBe(true);
});

it('[C2] a person who scrolls up stops it at once, and it is on again where they come back', () => {
  const following = atEnd();
  following.gesture(10);
  following.scrolled(at(590, 1000), 20);
  expect(following.isOn).toBe(false);
  // Momentum, long after the last event of the finger.
  for (let now = 120; now < 3000; now += 300) following.scrolled(at(590 - now / 10, 1000), now);
  following.scrolled(at(500, 1000), 4000);
  expect(following.isOn).toBe(false);
  following.scrolled(at(545, 1000), 5000);
  expect(following.isOn).toBe(true);
});

it('[C2] a drag of the scrollbar counts as long as it is held', () => {
  const following = atEnd();
  following.hold(true);
  following.scrolled(at(300, 1000), 60_000);
  expect(following.isOn).toBe(false);
  following.set(true);
  following.hold(false);
  following.scrolled(at(200, 1000), 120_000);
  expect(following.isOn).toBe(true);
});
