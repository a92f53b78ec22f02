/*
 * Finds layout faults of a page; runs in the browser as a separate script
 * (test/web/page-checks.ts). Each fault is one readable line.
 */

const CONTROLS =
  'a[href], button, input, select, textarea, summary, [role="tab"], [role="menuitem"], [role="option"], [role="radio"], [role="checkbox"]';
/** Minimum size of a touch target (DESIGN). */
const TARGET = 44;
/** Tolerates fractions of pixels. */
const SLACK = 1.5;

globalThis.layoutFaults = ({ thumbs }) => {
  const place = topmost();
  return [
    ...pageFaults(),
    ...textFaults(place),
    ...controlFaults(place),
    ...(thumbs ? smallTargets(place) : []),
  ];
};

/** An open dialog hides the page behind it. */
const topmost = () => [...document.querySelectorAll('[role="dialog"]')].at(-1) ?? document.body;

const pageFaults = () =>
  document.documentElement.scrollWidth > innerWidth
    ? [`the page is ${document.documentElement.scrollWidth} px wide`]
    : [];

const describe = (element) => {
  const name = (element.getAttribute('aria-label') ?? element.textContent).trim().slice(0, 40);
  return `<${element.localName} class="${(element.getAttribute('class') ?? '').slice(0, 80)}"> “${name}”`;
};

const isShown = (element) =>
  element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
  element.closest('[aria-hidden="true"]:not(svg), [inert]') === null &&
  !isForEarsOnly(element);

/** Visible to screen readers or the keyboard only, such as a radio input whose label is shown. */
function isForEarsOnly(element) {
  for (let at = element; at !== null; at = at.parentElement) {
    if (at.offsetWidth <= 1 && at.offsetHeight <= 1 && getComputedStyle(at).position === 'absolute')
      return true;
  }
  return false;
}

/** The part of a box that its ancestors leave visible; null if none. */
function seen(rect, element) {
  let { left, right, top, bottom } = rect;
  for (let at = element; at !== null; at = boxAround(at)) {
    const style = getComputedStyle(at);
    const box = at.getBoundingClientRect();
    if (style.overflowX !== 'visible') {
      left = Math.max(left, box.left);
      right = Math.min(right, box.right);
    }
    if (style.overflowY !== 'visible') {
      top = Math.max(top, box.top);
      bottom = Math.min(bottom, box.bottom);
    }
  }
  left = Math.max(left, 0);
  top = Math.max(top, 0);
  right = Math.min(right, innerWidth);
  bottom = Math.min(bottom, innerHeight);
  return right - left > 1 && bottom - top > 1 ? { left, right, top, bottom } : null;
}

/** The element whose box contains another one. */
function boxAround(element) {
  const { position } = getComputedStyle(element);
  if (position === 'fixed') return null;
  return position === 'absolute' ? element.offsetParent : element.parentElement;
}

const overlap = (a, b) =>
  Math.min(a.right, b.right) - Math.max(a.left, b.left) > SLACK &&
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > SLACK;

function* textsIn(place) {
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    if (node.data.trim() === '' || !isShown(node.parentElement)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) if (rect.width > 1) yield [rect, node.parentElement];
  }
}

/** Text that is cut off, overflows its box or overlaps other text. */
function textFaults(place) {
  const faults = [];
  const texts = [...textsIn(place)];
  for (const [rect, element] of texts) {
    const why = whyLost(rect, element);
    if (why !== null) faults.push(`text ${why}: ${describe(element)}`);
  }
  const shown = texts.flatMap(([rect, element]) => {
    const part = seen(rect, element);
    return part === null ? [] : [[part, element]];
  });
  shown.forEach(([a, one], index) => {
    for (const [b, other] of shown.slice(index + 1))
      if (one !== other && overlap(a, b) && showsThrough(a, one, b, other))
        faults.push(`text on text: ${describe(one)} and ${describe(other)}`);
  });
  return faults;
}

function whyLost(rect, element, counts = () => true) {
  for (let at = element; at !== null; at = boxAround(at)) {
    const style = getComputedStyle(at);
    if (style.display === 'inline' || style.display === 'contents') continue;
    const box = at.getBoundingClientRect();
    const isOut = rect.left < box.left - SLACK || rect.right > box.right + SLACK;
    const isBelow = rect.top < box.top - SLACK - 2 || rect.bottom > box.bottom + SLACK + 2;
    const scrolls = (overflow) => overflow === 'auto' || overflow === 'scroll';
    if (isOut && !scrolls(style.overflowX)) {
      if (style.textOverflow === 'ellipsis' && style.overflowX !== 'visible') return null;
      if (style.overflowX !== 'visible') return `is cut by ${describe(at)}`;
      if (counts(style)) return `overflows ${describe(at)}`;
    }
    if (isBelow && style.overflowY !== 'visible' && !scrolls(style.overflowY)) {
      if (style.webkitLineClamp !== 'none') return null;
      return `is cut at the bottom or top by ${describe(at)}`;
    }
    // Scrolling boxes may contain more than they show.
    if (scrolls(style.overflowX) || scrolls(style.overflowY)) return null;
  }
  return null;
}

/** Whether nothing opaque is between the two. */
function showsThrough(a, one, b, other) {
  const x = (Math.max(a.left, b.left) + Math.min(a.right, b.right)) / 2;
  const y = (Math.max(a.top, b.top) + Math.min(a.bottom, b.bottom)) / 2;
  const stack = document.elementsFromPoint(x, y);
  const at = [stack.indexOf(one), stack.indexOf(other)].sort((i, j) => i - j);
  if (at[0] === -1) return false;
  return !stack.slice(at[0], at[1]).some((element) => isFilled(getComputedStyle(element)));
}

const isFilled = ({ backgroundColor }) => !/^rgba\(.*, 0\)$|^transparent$/.test(backgroundColor);
const isPainted = (style) => isFilled(style) || style.borderRightWidth !== '0px';

const controlsIn = (place) =>
  [...place.querySelectorAll(CONTROLS)].map(targetOf).filter((each) => each !== null);

/** The click target: for a hidden input, its label. */
function targetOf(control) {
  const label = control.closest('label');
  if (label !== null) return isShown(label) ? label : null;
  return isShown(control) ? control : null;
}

const middle = ({ left, right, top, bottom }) => [(left + right) / 2, (top + bottom) / 2];

/** Controls that overlap each other or are covered. */
function controlFaults(place) {
  const faults = [];
  const shown = [];
  for (const control of new Set(controlsIn(place))) {
    control.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    // The first line of a link that wraps.
    const rect = control.getClientRects()[0] ?? control.getBoundingClientRect();
    // Its edge may extend over an invisible box to align with others.
    const why = whyLost(rect, control.parentElement, isPainted);
    if (why !== null) faults.push(`control ${why}: ${describe(control)}`);
    const part = seen(rect, control);
    if (part === null) faults.push(`cannot be reached by scrolling: ${describe(control)}`);
    else {
      const hit = document.elementFromPoint(...middle(part));
      if (hit !== null && !control.contains(hit))
        faults.push(`under something else: ${describe(control)} under ${describe(hit)}`);
    }
  }
  for (const control of new Set(controlsIn(place))) {
    const part = seen(control.getBoundingClientRect(), control);
    if (part !== null) shown.push([part, control]);
  }
  shown.forEach(([a, one], index) => {
    for (const [b, other] of shown.slice(index + 1)) {
      if (one.contains(other) || other.contains(one) || !overlap(a, b)) continue;
      faults.push(`control on control: ${describe(one)} and ${describe(other)}`);
    }
  });
  return faults;
}

/**
 * Ignores links within sentences, as WCAG does. Measured without the text: a target has its own
 * size, whatever the fonts.
 */
function smallTargets(place) {
  const controls = [...new Set(controlsIn(place))].filter(
    (control) => getComputedStyle(control).display !== 'inline',
  );
  const noText = new CSSStyleSheet();
  noText.replaceSync('body * { font-size: 0 !important; transition-property: none !important; }');
  document.adoptedStyleSheets.push(noText);
  const faults = controls.flatMap((control) => {
    const { width, height } = control.getBoundingClientRect();
    if (width >= TARGET - SLACK && height >= TARGET - SLACK) return [];
    return [`${Math.round(width)} × ${Math.round(height)} px for a thumb: ${describe(control)}`];
  });
  document.adoptedStyleSheets.pop();
  return faults;
}
