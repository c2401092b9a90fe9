import { createHash } from "node:crypto";
import type { ReportDocument, ReportEntry, UncoveredRequirement } from "./document.ts";
import { html } from "./escape.ts";
import { aboutRows, countsOf, gravestFirst, owedOf, verdictOf, wordOf } from "./summary.ts";

const tones: Readonly<Record<ReportEntry["status"], "good" | "bad" | "mild" | "soft">> = {
  pass: "good",
  fail: "bad",
  warn: "mild",
  error: "bad",
  skipped: "soft",
  not_applicable: "soft",
};

/**
 * The report as one page without scripts, which loads nothing: its policy allows its own style alone, so
 * that even what were to get past the escaping could neither run nor call anybody.
 */
export function htmlReport(document: ReportDocument): string {
  const { title, entries, exitCode, uncovered } = document;
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const wrong = gravestFirst(entries);
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${html(`Report: ${title}`)}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    "<header>",
    `<h1>${html(title)}</h1>`,
    `<p class="verdict ${exitCode === 0 ? "good" : "bad"}">${html(verdictOf(document))}</p>`,
    `<p class="counts">${html(countsOf(entries))}</p>`,
    '<dl class="about">',
    ...aboutRows(document).map(([name, value]) => `<dt>${html(name)}</dt><dd>${html(value)}</dd>`),
    "</dl>",
    ...newsOf(document),
    "</header>",
    "<main>",
    ...(wrong.length === 0 ? [] : ["<h2>What does not hold</h2>", ...wrong.flatMap(articleOf)]),
    ...tableOf(entries),
    ...uncoveredOf(uncovered),
    "</main>",
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function newsOf({ problems, notes, baseline }: ReportDocument): readonly string[] {
  const lines = [
    ...problems.map((problem) => `Problem: ${problem}`),
    ...notes,
    ...(baseline?.mended ?? []).map((id) => `Fixed; remove it from the baseline: ${id}`),
    ...(baseline?.unjudged ?? []).map((id) => `In the baseline, not judged by this run: ${id}`),
  ];
  if (lines.length === 0) return [];
  return ['<ul class="notes">', ...lines.map((line) => `<li>${html(line)}</li>`), "</ul>"];
}

function articleOf(entry: ReportEntry): readonly string[] {
  const { requirement, name, message, evidence, group, why, fix, page, replay } = entry;
  const tone = toneOf(entry);
  const edge = tone === "bad" ? "" : ` class="${tone}-edge"`;
  const part = (label: string, inner: string | undefined): readonly string[] =>
    inner === undefined ? [] : [`<dt>${label}</dt><dd>${inner}</dd>`];
  return [
    `<article${edge} id="${html(anchorOf(entry))}">`,
    `<p class="id"><span class="word ${tone}">${wordOf(entry)}</span> <code>${html(requirement ?? "")}</code> <span class="soft">${html(owedOf(entry))}</span></p>`,
    `<h3>${html(name)}</h3>`,
    `<p class="message">${html(message)}</p>`,
    '<dl class="parts">',
    ...part("Why", why && html(why)),
    ...part("Fix", fix && html(fix)),
    "</dl>",
    ...(evidence?.exchanges ?? []).flatMap(({ sent, received }) => [
      '<div class="exchange">',
      `<div><p class="label">Sent</p><pre>${html(sent.trimEnd())}</pre></div>`,
      `<div><p class="label">Received</p><pre>${html(received.trimEnd() || "(nothing)")}</pre></div>`,
      "</div>",
    ]),
    ...((evidence?.curl ?? []).length === 0
      ? []
      : [
          '<p class="label">To see it, with the access token in <code>TOKEN</code></p>',
          `<pre>${html(evidence?.curl.join("\n") ?? "")}</pre>`,
        ]),
    '<dl class="parts">',
    ...part("Check", `<code>${html(group)}</code>`),
    ...part(
      "Read",
      page &&
        `${linked(page)}, or <code>countersign requirements ${html(requirement ?? "")}</code>`,
    ),
    ...part("Again", replay && `<code>${html(replay)}</code>`),
    "</dl>",
    "</article>",
  ];
}

function tableOf(entries: readonly ReportEntry[]): readonly string[] {
  return [
    "<h2>Everything that was asked</h2>",
    "<table>",
    '<thead><tr><th scope="col">Finding</th><th scope="col">Requirement</th><th scope="col" class="wide">Level</th><th scope="col" class="wide">Check</th><th scope="col" class="wide number">ms</th></tr></thead>',
    "<tbody>",
    ...entries.map((entry) => {
      const { requirement, level = "", name, message, status, group, ms } = entry;
      const word = wordOf(entry);
      const isTold = status === "fail" || status === "warn" || status === "error";
      const finding = isTold ? `<a href="#${html(anchorOf(entry))}">${word}</a>` : word;
      const reason = status === "skipped" || status === "not_applicable" ? message : "";
      return `<tr><td class="${toneOf(entry)}">${finding}</td><td><code>${html(requirement ?? "")}</code> <span class="what">${html(name)}</span>${reason === "" ? "" : ` <span class="what soft">${html(reason)}</span>`}</td><td class="wide">${level}</td><td class="wide"><code>${html(group)}</code></td><td class="wide number">${Math.round(ms)}</td></tr>`;
    }),
    "</tbody>",
    "</table>",
  ];
}

function uncoveredOf(uncovered: readonly UncoveredRequirement[]): readonly string[] {
  if (uncovered.length === 0) return [];
  return [
    "<h2>What this run says nothing of</h2>",
    `<details><summary>${uncovered.length} requirements</summary>`,
    '<ul class="uncovered">',
    ...uncovered.map(
      ({ id, level, sentence, page, unchecked }) =>
        `<li>${linked(page, id)} <span class="soft">${level}</span> <span class="what">${html(sentence)}</span> <span class="what soft">${html(unchecked ?? "Left out of this run.")}</span></li>`,
    ),
    "</ul>",
    "</details>",
  ];
}

function toneOf({ status, isKnown }: ReportEntry): string {
  return isKnown ? "mild" : tones[status];
}

/** The entry's place in the page: its id in letters that need no escape in an address. */
function anchorOf({ id }: ReportEntry): string {
  return id.replaceAll(/[^A-Za-z0-9/#.-]/g, "_").replaceAll("#", "-");
}

/** A page by its address; a path of the repository is no link from elsewhere. */
function linked(page: string, text: string = page): string {
  const isAddress = page.startsWith("https://");
  return isAddress
    ? `<a href="${html(page)}"><code>${html(text)}</code></a>`
    : `<code title="${html(page)}">${html(text)}</code>`;
}

// Readable from 360 px on, by day and by night, and on paper.
const style = `
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
.exchange { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1rem; margin-top: 0.75rem; }
.exchange > div { min-width: 0; }
.label { color: var(--soft); font-size: 0.85rem; margin: 0.75rem 0 0; }
.exchange .label { margin: 0; }
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
summary { cursor: pointer; }
@media (max-width: 44rem) {
  h1 { font-size: 1.25rem; }
  article { padding: 0.75rem; }
  .exchange { grid-template-columns: 1fr; }
  .exchange { gap: 0.5rem; }
  .about, .parts { gap: 0.3rem 0.75rem; font-size: 0.85rem; }
  .wide { display: none; }
}
@media print { article { break-inside: avoid; } }
`;
