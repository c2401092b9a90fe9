import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { requirements } from "@countersign/contract-kit";
import { referencePage } from "@countersign/schemas";
import { describe, expect, it } from "vitest";
import { published } from "../../scripts/packages.ts";
import { failureCodes } from "../../packages/cli/src/failure.ts";
import { isCode, readPages, REPOSITORY, slugOf } from "../../docs/.vitepress/pages.ts";
import { FIXES } from "../../packages/signatures/src/explain-causes.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const files = globSync("{*,docs/**/*,packages/*/*,{schemas,contracts,examples/*}/*}.md", {
  cwd: root,
  exclude: (path) => /node_modules|dist|CHANGELOG|reference\/api/.test(path),
}).toSorted();
const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** A text without its code, in which nothing is a link or a heading. */
const prose = (text: string): string =>
  text.replaceAll(/^(`{3,})[^]*?^\1$/gm, "").replaceAll(/<!--[^]*?-->/g, "");

const known = new Map<string, ReadonlySet<string>>();

/** The anchors of a page, on GitHub and on the site. */
function anchorsOf(file: string): ReadonlySet<string> {
  const before = known.get(file);
  if (before !== undefined) return before;
  const anchors = new Set<string>();
  known.set(file, anchors);
  for (const [, heading = ""] of prose(read(file)).matchAll(/^#{1,6} (.*)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*]/g, "");
    const slug = slugOf(plain);
    const copies = [...anchors].filter((one) => one.replace(/-\d+$/, "") === slug).length;
    anchors.add(copies === 0 ? slug : `${slug}-${String(copies)}`);
    if (isCode(plain)) anchors.add(plain);
  }
  return anchors;
}

const REPOSITORY_LINK = new RegExp(`^${REPOSITORY}/(?:blob|tree)/main/(.*)$`);
const PACKED = new RegExp(
  `^(?:${published.map(({ folder }) => relative(root, folder)).join("|")})/README\\.md$`,
);

function brokenLinks(file: string): string[] {
  const text = prose(read(file)).replaceAll(/`[^`\n]*`/g, (code) =>
    code.replaceAll(/[[\]()]/g, "_"),
  );
  const links = [
    ...text.matchAll(/\]\(([^)\s]+)\)|(?:href|src|srcset)="([^"]+)"|link: (\/[^\s,}]+)/g),
  ];
  return links.flatMap(([, markdown, html, front]) => {
    const link = markdown ?? html ?? front ?? "";
    const [, inRepository] = REPOSITORY_LINK.exec(link) ?? [];
    if (inRepository === undefined && /^[a-z]+:/.test(link)) return [];
    // In a package that is installed, only its own files exist.
    if (inRepository === undefined && PACKED.test(file)) return [link];
    const [path = "", anchor] = (inRepository ?? link).split("#");
    // An address of the site begins with a slash: a page, or a file of docs/public.
    const target =
      inRepository !== undefined
        ? path
        : path.startsWith("/")
          ? [`docs${path}.md`, `docs/public${path}`].find((one) => existsSync(root + one))
          : path === ""
            ? file
            : join(dirname(file), path);
    if (target === undefined || !existsSync(root + target)) return [link];
    return anchor === undefined || anchorsOf(target).has(anchor) ? [] : [link];
  });
}

describe("the documentation", () => {
  it("links only to files and headings that exist, in an installed package too", () => {
    expect(files.length).toBeGreaterThan(40);
    const broken = files.flatMap((file) => brokenLinks(file).map((link) => `${file}: ${link}`));
    expect(broken).toEqual([]);
  });

  it("has every page of docs/ in the navigation of the site", () => {
    const pages = readPages()
      .filter(({ heading }) => heading !== "API")
      .flatMap(({ pages: inside }) => inside.map(({ path }) => `docs/${path}.md`));
    const written = files.filter((file) => /^docs\/(?!ci\/|index\.md)/.test(file));
    expect(pages.toSorted()).toEqual(written);
  });

  it("has the page and the anchor of every address that a message or a report prints", () => {
    const addresses = [
      ...Object.keys({ ...failureCodes, ...FIXES }).map((code) => referencePage("codes", code)),
      ...requirements().map(({ id }) => referencePage("requirements", id)),
    ];
    expect(addresses.length).toBeGreaterThan(190);
    const { repository } = JSON.parse(read("packages/cli/package.json")) as {
      readonly repository: { readonly url: string };
    };
    const base = repository.url.replace(/^git\+(.*)\.git$/, "$1/blob/main/");
    const broken = addresses.filter((address) => {
      const [path = "", anchor = ""] = address.replace(base, "").split("#");
      return !existsSync(root + path) || !anchorsOf(path).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  it.each(["refunds", "retries", "attempt"])(
    "has a diagram of %s that a screen reader can read",
    (name) => {
      const svg = read(`docs/public/diagrams/${name}.svg`);
      expect(svg).toMatch(/role="img" aria-labelledby="\w+-title \w+-text"/);
      expect(svg).toMatch(/<title id="\w+-title">[^<]+<\/title>\s*<desc id="\w+-text">[^<]{60,}/);
    },
  );
});
