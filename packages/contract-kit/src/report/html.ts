import { createHash } from "node:crypto";
import type { ReportDocument } from "./document.ts";
import { html } from "./escape.ts";
import { type PageFormat, printPage } from "./page.ts";

// Readable from 360 px on, in light and dark (the browser's own colours), and on paper.
const style = `
:root {
  color-scheme: light dark;
  --soft: light-dark(#566074, #9aa5b8);
  --line: light-dark(#d9dee7, #333c4c);
}
body {
  margin: 0 auto;
  max-width: 72rem;
  padding: 1.5rem clamp(1rem, 4vw, 3rem) 4rem;
  background: Canvas;
  color: CanvasText;
  font: 1rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere;
}
h1, h2 { font-size: 1.2rem; }
a { color: inherit; }
pre { padding: 0.6rem; border: 1px solid var(--line); white-space: pre-wrap; }
article { border-left: 4px solid light-dark(#b3261e, #ff8a80); padding-left: 1rem; margin: 2rem 0; }
article.warn { border-color: light-dark(#8a5a00, #f2c14e); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.3rem 1rem; }
dt, th { color: var(--soft); }
dd { margin: 0; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
@media (max-width: 44rem) {
  dl { grid-template-columns: 1fr; }
  th:nth-child(n + 4), td:nth-child(n + 4) { display: none; }
}
@media print { details::details-content { content-visibility: visible; block-size: auto; } }
`;

/**
 * The report as one page without scripts, which loads nothing: its policy allows only its own style, so
 * that even what were to get past the escaping could neither run nor call anybody.
 */
export function htmlReport(document: ReportDocument): string {
  const { head, failures, rest } = printPage(document, format);
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const articles = failures.map(({ status, blocks }) => {
    return `<article class="${status}">\n${blocks.join("\n")}\n</article>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${html(`Report: ${document.title}`)}</title>
<style>${style}</style>
</head>
<body>
<main>
${[...head, ...articles, ...rest].join("\n")}
</main>
</body>
</html>
`;
}

const cells = (name: string, all: readonly string[]): string =>
  `<tr>${all.map((one) => `<${name}>${one}</${name.slice(0, 2)}>`).join("")}</tr>`;

const format: PageFormat = {
  text: html,
  code: (text) => `<code>${html(text)}</code>`,
  link: (address) => `<a href="${html(address)}"><code>${html(address)}</code></a>`,
  lines: (text, label) => {
    const block = `<pre>${html(text)}</pre>`;
    return label === undefined ? block : `<p>${label}:</p>\n${block}`;
  },
  heading: (level, words) => `<h${level}>${words}</h${level}>`,
  paragraph: (words) => `<p>${words}</p>`,
  list: (items) => {
    const rows = items.map(([label, words]) => `<dt>${label}</dt><dd>${words}</dd>`);
    return rows.length === 0 ? "" : ["<dl>", ...rows, "</dl>"].join("\n");
  },
  table: (head, rows) => {
    const names = cells('th scope="col"', head);
    const body = rows.map((row) => cells("td", row)).join("\n");
    return `<table>\n<thead>${names}</thead>\n<tbody>\n${body}\n</tbody></table>`;
  },
  fold: (summary, block) => `<details><summary>${summary}</summary>\n${block}\n</details>`,
};
