import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const docs: string = fileURLToPath(new URL("../", import.meta.url));
export const REPOSITORY = "https://github.com/countersign/countersign";

interface Page {
  /** Below docs/, without `.md`: its address on the site. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

/** The parts of the site by reader, with their pages in order. A path that ends with `*` is a folder, by name. */
const parts = {
  Receive: [
    "start/stripe",
    "start/github",
    "start/slack",
    "start/shopify",
    "start/standard-webhooks",
    "start/your-own",
    "start/frameworks",
    "guides/troubleshooting",
    "faq",
    "guides/migrating",
    "concepts/attempt",
    "guides/inboxes",
    "guides/transactions",
    "guides/order",
    "guides/testing",
    "guides/production",
    "guides/rotation",
    "guides/keys",
    "guides/many-tenants",
    "guides/hand-over",
    "guides/reconcile",
  ],
  Develop: [
    "guides/inspector",
    "guides/sandbox",
    "guides/client",
    "start/partner-types",
    "concepts/refunds",
  ],
  Verify: [
    "guides/verify-a-receiver",
    "guides/effects",
    "guides/verify-a-sender",
    "guides/standard-webhooks",
    "guides/reading-a-finding",
  ],
  Provide: [
    "start/provider-ci",
    "guides/verify-a-provider",
    "guides/states",
    "guides/diff",
    "guides/other-providers",
    "concepts/retries",
    "interface",
    "concepts/profile",
  ],
  Operate: ["guides/running", "guides/backup", "upgrading"],
  Reference: [
    "reference/providers",
    "reference/codes",
    "reference/requirements",
    "reference/cli",
    "reference/vectors",
    "reference/library-differences",
    "compare",
    "three-providers",
    "how-we-test",
    "reference/contributing",
    "threats",
  ],
  Providers: ["reference/providers/*"],
  API: ["reference/api/*"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export interface Part {
  readonly heading: string;
  readonly pages: readonly Page[];
}

/** Reads every page of the site except its home, part by part. Pages that are written for a build may be missing. */
export function readPages(): readonly Part[] {
  return Object.entries(parts).map(([heading, paths]: [string, readonly string[]]) => ({
    heading,
    pages: paths.flatMap((path) =>
      globSync(path.replace(/\*$/, "**/*") + ".md", { cwd: docs })
        .toSorted()
        .map(readPage),
    ),
  }));
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
