import type { ReportDocument } from "./document.ts";
import { markdown, markdownBlock, markdownCode } from "./escape.ts";
import { type PageFormat, printPage } from "./page.ts";

/** Characters of details, so that a job's summary, 1 MiB at most, is never refused for them. */
const DETAILS = 400_000;

/** The report as Markdown, for a job's summary or a pull request: verdict, what is wrong, then everything. */
export function githubSummary(document: ReportDocument): string {
  const { head, failures, rest } = printPage(document, format);
  const details: string[] = [];
  let size = 0;
  for (const [index, { blocks }] of failures.entries()) {
    size += blocks.join("").length;
    if (size > DETAILS) {
      details.push(`${failures.length - index} more are only in the other reports.`);
      break;
    }
    details.push(...blocks);
  }
  const blocks = [...head, ...details, ...rest].filter((block) => block !== "");
  return `${blocks.join("\n\n")}\n`;
}

const format: PageFormat = {
  text: markdown,
  code: markdownCode,
  link: (address) => `<${address}>`,
  lines: (text, label) => {
    const block = markdownBlock(text).join("\n");
    return label === undefined ? block : `${label}:\n\n${block}`;
  },
  heading: (level, words) => `${"#".repeat(level)} ${words}`,
  paragraph: (words) => words,
  list: (items) => items.map(([label, words]) => `- ${label}: ${words}`).join("\n"),
  table: (head, rows) =>
    [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n"),
  fold: (summary, block) => `<details>\n<summary>${summary}</summary>\n\n${block}\n\n</details>`,
};
