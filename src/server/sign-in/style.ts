/**
 * The style of the pages in this folder. Served as a file, because the pages' CSP allows nothing
 * inline.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1f2328, #e6e9ee);
  --soft: light-dark(#59636e, #9aa4b2);
  --paper: light-dark(#f6f8fa, #14171c);
  --panel: light-dark(#ffffff, #1c2027);
  --line: light-dark(#8c959f, #57606c);
  --edge: light-dark(#d5dae1, #333a45);
  --accent: light-dark(#b4500b, #f4a259);
  --accent-over: light-dark(#943f06, #f7b57c);
  --on-accent: light-dark(#ffffff, #22160a);
  --bad: light-dark(#b3261e, #ff8f86);
  --bad-panel: light-dark(#fdf0ef, #2c1c1c);
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; padding: 16px;
  background: var(--paper); color: var(--ink);
  font: 14px/1.55 system-ui, "Hiragino Sans", "Yu Gothic UI", "Noto Sans CJK JP", sans-serif;
  display: grid; align-content: center; justify-content: center;
  grid-template-columns: minmax(0, 376px);
}
main { background: var(--panel); border: 1px solid var(--edge); border-radius: 6px; padding: 24px; }
h1 { margin: 0 0 12px; font-size: 20px; line-height: 1.3; font-weight: 600; }
p { margin: 0 0 16px; }
p, h1, .bad { overflow-wrap: anywhere; line-break: strict; word-break: auto-phrase; text-wrap: pretty; }
.soft { color: var(--soft); }
code { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; }
.bad {
  margin: 0 0 16px; padding: 8px 12px; background: var(--bad-panel); color: var(--bad);
  border: 1px solid currentColor; border-radius: 6px;
}
label { display: block; margin: 0 0 4px; font-weight: 600; }
input {
  width: 100%; height: 40px; margin: 0 0 16px; padding: 0 12px; border-radius: 6px;
  border: 1px solid var(--line); background: var(--paper); color: var(--ink);
  font: 14px/1.2 ui-monospace, Menlo, Consolas, monospace;
}
input[aria-invalid] { border-color: var(--bad); }
button {
  width: 100%; height: 40px; padding: 0 16px; border: 1px solid transparent; border-radius: 6px;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer;
}
button:hover { background: var(--accent-over); }
button:disabled { cursor: default; opacity: .7; }
button.plain { background: transparent; color: var(--ink); border-color: var(--line); }
button.plain:hover { background: var(--paper); }
details { margin-top: 16px; border-top: 1px solid var(--edge); padding-top: 12px; }
summary { cursor: pointer; color: var(--soft); }
details[open] summary { margin-bottom: 12px; }
dl { margin: 16px 0; }
dt { color: var(--soft); }
dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
dd + dd { font-weight: 400; }
a { color: inherit; text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 480px) {
  body { align-content: start; padding-top: 32px; }
  main { padding: 20px 16px; }
  input { font-size: 16px; }
  input, button { height: 44px; }
}
@media (forced-colors: active) { button { border-color: ButtonText; } }
`;
