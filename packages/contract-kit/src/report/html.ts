import { createHash } from "node:crypto";
import { aboutRows, verdictOf } from "./about-rows.ts";
import { html } from "./escape.ts";
import { style } from "./html-style.ts";
import { gravestFirst } from "./gravest-first.ts";
import type { ReportDocument, ReportEntry, UncoveredRequirement } from "./report-document.ts";
import { countsOf } from "./terminal.ts";

interface Look {
  readonly word: string;
  readonly tone: "good" | "bad" | "mild" | "soft";
}

const looks: Readonly<Record<ReportEntry["status"], Look>> = {
  pass: { word: "pass", tone: "good" },
  fail: { word: "fail", tone: "bad" },
  warn: { word: "warn", tone: "mild" },
  error: { word: "error", tone: "bad" },
  skipped: { word: "skipped", tone: "soft" },
  not_applicable: { word: "n/a", tone: "soft" },
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
    `<p class="counts">${html(countsOf(entries) || "nothing was verified")}</p>`,
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
    ...(baseline?.mended ?? []).map((id) => `Mended, to be removed from the baseline: ${id}`),
    ...(baseline?.unjudged ?? []).map((id) => `In the baseline, and not judged by this run: ${id}`),
  ];
  if (lines.length === 0) return [];
  return ['<ul class="notes">', ...lines.map((line) => `<li>${html(line)}</li>`), "</ul>"];
}

function articleOf(entry: ReportEntry): readonly string[] {
  const { requirement, level, name, message, evidence, group } = entry;
  const { word, tone } = lookOf(entry);
  const { source, why, fix, page, replay } = entry;
  const edge = tone === "bad" ? "" : ` class="${tone}-edge"`;
  const part = (label: string, inner: string | undefined): readonly string[] =>
    inner === undefined ? [] : [`<dt>${label}</dt><dd>${inner}</dd>`];
  return [
    `<article${edge} id="${html(anchorOf(entry))}">`,
    `<p class="id"><span class="word ${tone}">${word}</span> <code>${html(requirement ?? "")}</code> <span class="soft">${level}${source === undefined ? "" : `, ${html(source)}`}</span></p>`,
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
    '<thead><tr><th scope="col">Finding</th><th scope="col">Requirement</th><th scope="col" class="wide">Check</th><th scope="col" class="wide number">ms</th></tr></thead>',
    "<tbody>",
    ...entries.map((entry) => {
      const { requirement, name, message, status, group, ms } = entry;
      const { word, tone } = lookOf(entry);
      const isTold = status === "fail" || status === "warn" || status === "error";
      const finding = isTold ? `<a href="#${html(anchorOf(entry))}">${word}</a>` : word;
      const reason = status === "skipped" || status === "not_applicable" ? message : "";
      return `<tr><td class="${tone}">${finding}</td><td><code>${html(requirement ?? "")}</code> <span class="what">${html(name)}</span>${reason === "" ? "" : ` <span class="what soft">${html(reason)}</span>`}</td><td class="wide"><code>${html(group)}</code></td><td class="wide number">${Math.round(ms)}</td></tr>`;
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

function lookOf({ status, isKnown }: ReportEntry): Look {
  return isKnown ? { word: "known", tone: "mild" } : looks[status];
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
