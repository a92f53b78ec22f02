/*
 * Measures the page from inside; runs in the browser before the app. Times are milliseconds since the
 * navigation began, except for marks, whose times are compared with the server's.
 */

const page = { seen: {}, longTasks: [], marks: {} };
globalThis.bench = page;

/** Calls `then` after the next frame is painted. */
const painted = (then) => requestAnimationFrame(() => setTimeout(then));

const isInSight = (element) => {
  const { top, bottom, height } = element.getBoundingClientRect();
  return height > 0 && bottom > 0 && top < innerHeight;
};

/** Records when an element, optionally with this text, is first visible. */
page.watchFor = (name, selector, text) => {
  const check = () => {
    const isVisible = [...document.querySelectorAll(selector)].some(
      (each) => (text === undefined || each.textContent === text) && isInSight(each),
    );
    if (isVisible) painted(() => (page.seen[name] ??= performance.now()));
    else requestAnimationFrame(check);
  };
  check();
};

page.watchLongTasks = () => {
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      page.longTasks.push({ startTime, duration });
  }).observe({ type: 'longtask' });
};

/** Records when each text like `mark 7` is first visible. */
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
