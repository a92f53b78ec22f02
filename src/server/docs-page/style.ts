/** The page's CSP contains the hash of this style. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2128, #e6e9ee);
  --soft: light-dark(#57606a, #9aa4b2);
  --paper: light-dark(#ffffff, #14171c);
  --panel: light-dark(#f6f8fa, #1c2027);
  --line: light-dark(#d5dae1, #333a45);
  --link: light-dark(#0a5bc4, #7db4ff);
  --get: light-dark(#0b6b3a, #63d297);
  --change: light-dark(#8a4b00, #f0b45b);
  --remove: light-dark(#b3261e, #ff8f86);
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 0 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif;
  display: grid; gap: 0 2rem; grid-template: "head" "main" / minmax(0, 1fr);
}
header { grid-area: head; max-width: 70ch; }
nav { grid-area: nav; display: none; font-size: .875rem; }
main { grid-area: main; min-width: 0; }
/* On a phone, the collapsed operations serve as the table of contents. */
@media (min-width: 64rem) {
  body { grid-template: "nav head" auto "nav main" 1fr / 22rem minmax(0, 60rem); padding-left: 1.5rem; }
  nav { display: block; position: sticky; top: 0; max-height: 100vh; overflow: auto; padding: 1rem 0; align-self: start; }
}
h1 { margin: 1.5rem 0 .5rem; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.25rem; }
nav h2 { margin: 1rem 0 .25rem; font-size: .9375rem; }
h3 { margin: 0; font-size: 1rem; }
h4 { margin: 1.25rem 0 .25rem; font-size: .9375rem; }
p { margin: .5rem 0; }
a { color: var(--link); }
code, pre, .method { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .875em; }
pre { margin: .5rem 0; padding: .75rem; overflow: auto; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; }
small, .note, .type, .what { color: var(--soft); }
small { display: inline-block; margin-left: .5em; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li a { display: block; padding: .2rem 0; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
nav li a:hover { text-decoration: underline; }
.method { display: inline-block; min-width: 4.2em; font-weight: 600; color: var(--change); }
.method.GET { color: var(--get); }
.method.DELETE { color: var(--remove); }
summary { cursor: pointer; }
.operation { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; }
.operation > summary { padding: .6rem .75rem; background: var(--panel); border-radius: 6px; list-style-position: inside; }
.operation > summary h3 { display: inline; font-weight: 500; overflow-wrap: anywhere; }
.what { display: block; margin-top: .15rem; }
.operation > .body { padding: .25rem .75rem 1rem; scroll-margin-top: 6rem; }
.schema { margin: 0 0 1.5rem; scroll-margin-top: 1rem; }
.table { overflow-x: auto; }
td .table { margin-top: .25rem; }
td .table thead { display: none; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th, td { padding: .4rem .75rem .4rem 0; text-align: left; vertical-align: top; font-weight: normal; border-top: 1px solid var(--line); }
td:nth-child(2) { overflow-wrap: break-word; }
thead th { border: 0; color: var(--soft); font-size: .8125rem; }
.required { color: var(--remove); font-size: .8125rem; }
.errors { margin: .25rem 0; display: grid; grid-template-columns: 3.5rem 1fr; gap: .15rem 0; }
.errors dt { grid-column: 1; font-weight: 600; }
.errors dd { grid-column: 2; margin: 0; }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { position: static; }
`;
