import { createHash } from "node:crypto";
import { levels } from "../check.ts";
import type { ReportDocument, ReportEntry, UncoveredRequirement } from "./document.ts";
import { html } from "./escape.ts";
import { style } from "./html-style.ts";
import {
  aboutRows,
  countsOf,
  gravestFirst,
  isWrong,
  newsOf,
  partsOf,
  verdictOf,
  wordOf,
  type Part,
} from "./summary.ts";

const tones: Readonly<Record<ReportEntry["status"], "good" | "bad" | "mild" | "soft">> = {
  pass: "good",
  fail: "bad",
  warn: "mild",
  error: "bad",
  skipped: "soft",
  not_applicable: "soft",
};

/**
 * The report as one page without scripts, which loads nothing: its policy allows only its own style, so
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
    ...notesOf(document),
    "</header>",
    ...indexOf(wrong, document),
    "<main>",
    ...filtersOf(entries),
    ...(wrong.length === 0
      ? []
      : ['<h2 id="failures">Failures and warnings</h2>', ...wrong.flatMap(articleOf)]),
    ...resultsOf(entries),
    ...uncoveredOf(uncovered),
    "</main>",
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function notesOf(document: ReportDocument): readonly string[] {
  const items = newsOf(document).map(({ label, text }) => `<li>${html(`${label}: ${text}`)}</li>`);
  return items.length === 0 ? [] : ['<ul class="notes">', ...items, "</ul>"];
}

function indexOf(wrong: readonly ReportEntry[], { uncovered }: ReportDocument): readonly string[] {
  const item = (address: string, inner: string): string =>
    `<li><a href="#${html(address)}">${inner}</a></li>`;
  return [
    '<nav aria-label="Index"><ul>',
    ...wrong.map((entry) =>
      item(
        anchorOf(entry),
        `<span class="word ${toneOf(entry)}">${wordOf(entry)}</span> ${html(entry.requirement ?? entry.name)}`,
      ),
    ),
    item("results", "All results"),
    ...(uncovered.length === 0 ? [] : [item("uncovered", "Not covered")]),
    "</ul></nav>",
  ];
}

/** Controls that hide rows by CSS only: the page has no script. */
function filtersOf(entries: readonly ReportEntry[]): readonly string[] {
  const verdicts = [...new Set(entries.map(({ status }) => status))];
  const present = levels.filter((level) => entries.some((entry) => entry.level === level));
  const boxes = (name: string, values: readonly string[]): string =>
    values
      .map(
        (value) =>
          `<label><input type="checkbox" id="${name}-${value}" checked> ${value.replaceAll("_", " ")}</label>`,
      )
      .join(" ");
  return [
    '<div class="filters">',
    `<fieldset><legend>Verdict</legend>${boxes("verdict", verdicts)}</fieldset>`,
    `<fieldset><legend>Level</legend>${boxes("level", present)}</fieldset>`,
    "</div>",
  ];
}

/** The attributes by which the filters hide an entry. */
const filtered = ({ status, level }: ReportEntry): string =>
  `data-verdict="${status}" data-level="${level ?? ""}"`;

function articleOf(entry: ReportEntry): readonly string[] {
  const { requirement, name, message } = entry;
  const tone = toneOf(entry);
  const edge = tone === "bad" ? "" : ` class="${tone}-edge"`;
  const parts = partsOf(entry);
  return [
    `<article${edge} ${filtered(entry)} id="${html(anchorOf(entry))}">`,
    `<p class="id"><span class="word ${tone}">${wordOf(entry)}</span> <code>${html(requirement ?? "")}</code></p>`,
    `<h3>${html(name)}</h3>`,
    `<p class="message">${html(message)}</p>`,
    '<dl class="parts">',
    ...parts
      .filter(({ form }) => form !== "block")
      .map((part) => `<dt>${html(part.label)}</dt><dd>${inline(part)}</dd>`),
    "</dl>",
    '<div class="blocks">',
    ...parts
      .filter(({ form }) => form === "block")
      .map(
        ({ label, text }) =>
          `<div><p class="label">${html(label)}</p><pre>${html(text)}</pre></div>`,
      ),
    "</div>",
    "</article>",
  ];
}

function inline({ text, form }: Part): string {
  if (form === "text") return html(text);
  return form === "page" ? linked(text) : `<code>${html(text)}</code>`;
}

function resultsOf(entries: readonly ReportEntry[]): readonly string[] {
  const passed = entries.filter(({ status }) => status === "pass");
  const others = entries.filter(({ status }) => status !== "pass");
  return [
    '<h2 id="results">All results</h2>',
    ...(others.length === 0 ? [] : tableOf(others)),
    ...(passed.length === 0
      ? []
      : [`<details><summary>${passed.length} passed</summary>`, ...tableOf(passed), "</details>"]),
  ];
}

function tableOf(entries: readonly ReportEntry[]): readonly string[] {
  return [
    "<table>",
    '<thead><tr><th scope="col">Finding</th><th scope="col">Requirement</th><th scope="col" class="wide">Level</th><th scope="col" class="wide">Check</th><th scope="col" class="wide number">ms</th></tr></thead>',
    "<tbody>",
    ...entries.map((entry) => {
      const { requirement, level, name, message, group, ms } = entry;
      const word = wordOf(entry);
      const hasArticle = isWrong(entry);
      const anchor = html(anchorOf(entry));
      const finding = hasArticle ? `<a href="#${anchor}">${word}</a>` : word;
      const id = hasArticle ? "" : ` id="${anchor}"`;
      const reason = hasArticle ? "" : message;
      return `<tr${id} ${filtered(entry)}><td class="${toneOf(entry)}">${finding}</td><td><code>${html(requirement ?? "")}</code> <span class="what">${html(name)}</span>${reason === "" ? "" : ` <span class="what soft">${html(reason)}</span>`}</td><td class="wide">${level ?? ""}</td><td class="wide"><code>${html(group)}</code></td><td class="wide number">${Math.round(ms)}</td></tr>`;
    }),
    "</tbody>",
    "</table>",
  ];
}

function uncoveredOf(uncovered: readonly UncoveredRequirement[]): readonly string[] {
  if (uncovered.length === 0) return [];
  return [
    '<h2 id="uncovered">Not covered by this run</h2>',
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

/** A page by its address; a path of the repository is not a link from elsewhere. */
function linked(page: string, text: string = page): string {
  const isAddress = page.startsWith("https://");
  return isAddress
    ? `<a href="${html(page)}"><code>${html(text)}</code></a>`
    : `<code title="${html(page)}">${html(text)}</code>`;
}
