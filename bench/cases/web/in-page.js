/*
 * What the page tells of itself; runs in the browser before the app does. Times are milliseconds since
 * the navigation began, but for those of marks, which are compared with the server's.
 */

const page = { seen: {}, longTasks: [], marks: {} };
globalThis.bench = page;

/** Behind the painting of the next frame. */
const painted = (then) => requestAnimationFrame(() => setTimeout(then));

const isInSight = (element) => {
  const { top, bottom, height } = element.getBoundingClientRect();
  return height > 0 && bottom > 0 && top < innerHeight;
};

/** Notes under a name when something was first in sight: an element, with this text if one is given. */
page.look = (name, selector, text) => {
  const look = () => {
    const found = [...document.querySelectorAll(selector)].some(
      (each) => (text === undefined || each.textContent === text) && isInSight(each),
    );
    if (found) painted(() => (page.seen[name] ??= performance.now()));
    else requestAnimationFrame(look);
  };
  look();
};

page.watchLongTasks = () => {
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      page.longTasks.push({ startTime, duration });
  }).observe({ type: 'longtask' });
};

/** Notes when each text like `mark 7` was first in sight. */
page.watchMarks = () => {
  const note = (element, number) => {
    if (!isInSight(element)) return requestAnimationFrame(() => note(element, number));
    painted(() => (page.marks[number] ??= Date.now()));
  };
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        const number = /\bmark (\d+)\b/.exec(node.textContent)?.[1];
        const element = node instanceof Element ? node : node.parentElement;
        if (number !== undefined && element !== null) note(element, number);
      }
    }
  }).observe(document.body, { childList: true, subtree: true });
};

page.log = () => document.querySelector('[role="log"]');
