import { globSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";

export const docs: string = fileURLToPath(new URL("../", import.meta.url));
export const REPOSITORY = "https://github.com/countersign/countersign";

interface Page {
  /** Below docs/, without `.md`: its address on the site. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

/** The parts of the site in order, with the pages that come first in them; others follow by name. */
const parts = {
  start: ["express", "fastify", "nextjs", "nestjs", "lambda", "provider-ci", "partner-types"],
  concepts: ["attempt", "retries", "refunds", "provider", "profile"],
  guides: [
    "mounting",
    "testing",
    "inboxes",
    "transactions",
    "order",
    "rotation",
    "many-tenants",
    "production",
    "troubleshooting",
    "three-providers",
    "migrating",
    "other-providers",
    "client",
    "sandbox",
    "inspector",
    "verify-a-receiver",
    "effects",
    "standard-webhooks",
    "verify-a-provider",
    "verify-a-sender",
    "diff",
    "states",
    "reading-a-finding",
    "running",
    "backup",
    "alerts",
    "capacity",
  ],
  reference: ["codes", "requirements", "cli", "library-differences"],
  "reference/providers": [],
  "reference/api": [],
  ".": ["compare", "how-we-test"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const headings: Readonly<Record<keyof typeof parts, string>> = {
  start: "Start",
  concepts: "Concepts",
  guides: "Guides",
  reference: "Reference",
  "reference/providers": "Providers",
  "reference/api": "API",
  ".": "About",
};

export interface Part {
  readonly heading: string;
  readonly pages: readonly Page[];
}

/** Reads every page of the site except its home, part by part. */
export function readPages(): readonly Part[] {
  const files = globSync("{*,{start,concepts,guides,reference}/**/*}.md", { cwd: docs });
  const pages = files.filter((file) => file !== "index.md").map(readPage);
  return Object.entries(parts).map(([folder, first]: [string, readonly string[]]) => {
    const rank = ({ path }: Page): number => (first.indexOf(basename(path)) + 100) % 100 || -1;
    const inside = pages.filter(
      ({ path }) =>
        dirname(path) === folder || (folder === "reference/api" && path.startsWith(folder)),
    );
    return {
      heading: headings[folder as keyof typeof parts],
      pages: inside.toSorted((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1)),
    };
  });
}

function readPage(file: string): Page {
  const text = readFileSync(docs + file, "utf8");
  return { path: file.replace(/\.md$/, ""), title: /^# (.*)/m.exec(text)?.[1] ?? file, text };
}

/** The anchor of a heading, as GitHub makes it: a link is valid there and on the site. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}

/** True for a heading such as `CS_BODY_CONSUMED` or `R-VERIFY-RAW`, whose anchor is also its own spelling. */
export const isCode = (heading: string): boolean =>
  /^[A-Z]+(?:[_-][A-Z0-9]+)+$|^[A-Z]{6,}$/.test(heading);
