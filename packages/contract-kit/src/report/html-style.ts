import { levels } from "../check.ts";

const statuses = ["pass", "fail", "warn", "error", "skipped", "not_applicable"] as const;

/** Hides the entries of each value whose box is not checked. */
const filterRules = [
  ...statuses.map((status) => ["verdict", status] as const),
  ...levels.map((level) => ["level", level] as const),
]
  .map(
    ([name, value]) =>
      `body:has(#${name}-${value}:not(:checked)) [data-${name}="${value}"] { display: none; }`,
  )
  .join("\n");

// Readable from 360 px on, in light and dark, and on paper.
export const style: string = `
${filterRules}
:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2330, #e4e8f0);
  --soft: light-dark(#566074, #9aa5b8);
  --line: light-dark(#d9dee7, #333c4c);
  --page: light-dark(#ffffff, #12161d);
  --raised: light-dark(#f5f7fa, #1a202a);
  --good: light-dark(#1d6b3c, #6fcf97);
  --bad: light-dark(#b3261e, #ff8a80);
  --mild: light-dark(#8a5a00, #f2c14e);
  --link: light-dark(#1f5fbf, #8ab4f8);
}
* { box-sizing: border-box; }
body {
  margin: 0 auto;
  max-width: 72rem;
  padding: 1.5rem clamp(1rem, 4vw, 3rem) 4rem;
  background: var(--page);
  color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere;
}
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 0.25rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 0.75rem; }
h3 { font-size: 1rem; line-height: 1.4; margin: 0; }
p { margin: 0.5rem 0; max-width: 44rem; }
a { color: var(--link); }
code, pre { font-family: ui-monospace, "Cascadia Code", Menlo, Consolas, monospace; font-size: 0.86em; }
pre {
  margin: 0.25rem 0 0;
  padding: 0.6rem 0.75rem;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: var(--raised);
  white-space: pre-wrap;
  line-height: 1.45;
}
.verdict { margin: 0; font-size: 1.1rem; font-weight: 600; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.mild { color: var(--mild); }
.soft { color: var(--soft); }
.counts { margin: 0.25rem 0 1.25rem; color: var(--soft); }
.about { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; margin: 0; font-size: 0.9rem; }
.about dt { color: var(--soft); }
.about dd { margin: 0; }
.notes { margin: 1rem 0 0; padding: 0.6rem 1rem 0.6rem 2rem; border-left: 4px solid var(--mild); background: var(--raised); }
article { border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: 6px; padding: 1rem; margin: 0 0 1rem; }
article.mild-edge { border-left-color: var(--mild); }
article.soft-edge { border-left-color: var(--soft); }
.id { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: baseline; margin: 0 0 0.25rem; font-size: 0.9rem; }
.word { font-weight: 700; text-transform: uppercase; font-size: 0.8rem; letter-spacing: 0.04em; }
.message { white-space: pre-wrap; max-width: none; }
.parts { display: grid; grid-template-columns: max-content 1fr; gap: 0.3rem 1rem; margin: 0.75rem 0 0; }
.parts dt { color: var(--soft); }
.parts dd { margin: 0; }
.blocks { display: grid; grid-template-columns: 1fr 1fr; gap: 0.5rem 1rem; margin-top: 0.75rem; }
.blocks > div { min-width: 0; }
.blocks > :last-child:nth-child(odd) { grid-column: 1 / -1; }
.label { color: var(--soft); font-size: 0.85rem; margin: 0; }
table { width: 100%; border-collapse: collapse; font-size: 0.92rem; }
th { text-align: left; font-weight: 600; color: var(--soft); border-bottom: 2px solid var(--line); }
th, td { padding: 0.45rem 0.75rem 0.45rem 0; vertical-align: top; }
td { border-bottom: 1px solid var(--line); }
.what { display: block; }
.number { text-align: right; padding-right: 0; font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td:first-child { white-space: nowrap; }
.wide { overflow-wrap: normal; max-width: 18rem; }
.uncovered { padding: 0; list-style: none; }
.uncovered li { padding: 0.45rem 0; border-bottom: 1px solid var(--line); font-size: 0.92rem; }
summary { cursor: pointer; padding: 0.45rem 0; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 1.25rem 0 0; padding: 0; list-style: none; font-size: 0.92rem; }
.filters { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; margin: 1rem 0 0; }
fieldset { margin: 0; padding: 0; border: 0; min-width: 0; font-size: 0.92rem; }
legend { float: left; padding: 0 0.75rem 0 0; color: var(--soft); }
label { display: inline-block; min-height: 1.5rem; margin-right: 0.6rem; }
:target { outline: 2px solid var(--link); outline-offset: 2px; }
@media (max-width: 44rem) {
  h1 { font-size: 1.25rem; }
  article { padding: 0.75rem; }
  .blocks { grid-template-columns: 1fr; }
  .about, .parts { gap: 0.3rem 0.75rem; font-size: 0.85rem; }
  .wide { display: none; }
}
@media print {
  :root { color-scheme: light; }
  .filters { display: none; }
  article, tr { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;
