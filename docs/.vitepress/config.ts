import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { DefaultTheme, MarkdownEnv, UserConfig } from "vitepress";
import llmstxt from "vitepress-plugin-llms";
import { docs, isCode, readPages, REPOSITORY, slugOf } from "./pages.ts";
import { searchOptions } from "./search.ts";

const parts = readPages().filter(({ pages }) => pages.length > 0);
const description = "Receive the webhooks of any provider correctly, and prove it";
const linkTo = ({ path }: { readonly path: string }): string => `/${path}`;

// The plugin does not say which Vite it is for: its types are those of any Vite of the workspace.
const vite = { plugins: llmstxt({ ignoreFiles: ["ci/**"] }) } as unknown as NonNullable<
  UserConfig["vite"]
>;

/** Additions to the headings of pages that are written: a short heading comes before a long one, and guides before these. */
const additions: readonly (readonly [RegExp, string])[] = [
  [/^reference\/api\//, "in the API, as a package exports it"],
  [/^reference\/cli/, "on the command line, with all of its options"],
  [/^reference\/library-differences/, "where the vendor's own library decides otherwise"],
  [/^reference\/providers\//, "as its document says: signature, traps, types of events"],
];

/** Prints a page for the index of the search: of the API only the names. */
function searchable(
  source: string,
  env: MarkdownEnv,
  md: { render(source: string, env: MarkdownEnv): string },
): string {
  const html = md.render(source, env);
  const page = env.relativePath;
  const [, addition] = additions.find(([pages]) => pages.test(page)) ?? [];
  if (addition === undefined) return html;
  const named = html.replaceAll(' <a class="header-anchor', ` ${addition}$&`);
  return page.startsWith("reference/api/")
    ? (named.match(/<h[1-6][^]*?<\/h[1-6]>/g) ?? []).join("\n")
    : named;
}

const config: UserConfig<DefaultTheme.Config> = {
  title: "Countersign",
  description,
  lang: "en-US",
  cleanUrls: true,
  srcExclude: ["ci/**"],
  // llms.txt lists the pages, llms-full.txt has their text, and each page is served as Markdown.
  vite,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/favicon.svg" }]],
  // Nothing is loaded from elsewhere. The theme's own scripts and styles are inline.
  transformHead: () => [
    [
      "meta",
      {
        "http-equiv": "Content-Security-Policy",
        content: "default-src 'self' 'unsafe-inline' data:",
      },
    ],
  ],
  themeConfig: {
    search: {
      provider: "local",
      options: {
        _render: searchable,
        miniSearch: { searchOptions },
      },
    },
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: REPOSITORY }],
    nav: parts
      .filter(({ heading }) => heading !== "API" && heading !== "Providers")
      .map(({ heading, pages: [first, ...others] }) => ({
        text: heading,
        link: first === undefined ? "/" : linkTo(first),
        activeMatch: `^/(?:${[first, ...others].map((page) => page?.path).join("|")})$`,
      })),
    sidebar: parts.map(({ heading, pages }) => ({
      text: heading,
      items: pages.map((page) => ({
        // The part says what to do with them.
        text: page.title.replace(/ webhooks$| events and commands$/, ""),
        link: linkTo(page),
      })),
    })),
  },
  // The home page of the theme has no landmark.
  transformHtml: (code) => code.replace('<div class="VPHome"', '<div role="main" class="VPHome"'),
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: slugOf },
    config: (md) => {
      // Links to files that are not pages of the site lead to the repository.
      md.core.ruler.push("repository-links", ({ tokens, env }) => {
        const folder = dirname(String((env as { readonly path?: string }).path));
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.attrGet("href") ?? "";
          if (token.type !== "link_open" || !/^\.?\.?[\w/]/.test(href) || href.includes(":"))
            continue;
          const file = join(folder, href.replace(/#.*/, ""));
          const inSite =
            file.startsWith(docs) && file.endsWith(".md") && !file.startsWith(`${docs}ci/`);
          if (href.startsWith("/") || inSite) continue;
          const target = relative(join(docs, ".."), file);
          // Its page is written from it. Readers on GitHub get the file.
          const provider = /^schemas\/providers\/([\w-]+)\.json$/.exec(target)?.[1];
          const address =
            provider === undefined
              ? `${REPOSITORY}/blob/main/${target}`
              : `/reference/providers/${provider}`;
          token.attrSet("href", `${address}${/#.*/.exec(href)?.[0] ?? ""}`);
        }
      });
      // Each code also has an anchor in its exact spelling.
      md.core.ruler.push("code-anchors", ({ tokens, Token }) => {
        for (const [index, { type }] of tokens.entries()) {
          const inline = tokens[index + 1];
          if (type !== "heading_open" || !isCode(inline?.content ?? "")) continue;
          const anchor = new Token("html_inline", "", 0);
          anchor.content = `<span id="${inline?.content ?? ""}"></span>`;
          inline?.children?.unshift(anchor);
        }
      });
      // Diagrams are part of the page, so that they follow its theme. GitHub shows them as pictures.
      const image = md.renderer.rules.image;
      md.renderer.rules.image = (tokens, index, options, env, self) => {
        const token = tokens[index];
        const file = join(
          docs,
          "public",
          token?.attrGet("src")?.replace(/^(\.\.\/)*public/, "") ?? "",
        );
        if (!file.endsWith(".svg") || !existsSync(file))
          return image?.(tokens, index, options, env, self) ?? "";
        return readFileSync(file, "utf8").replace(/<style>.*?<\/style>/s, "");
      };
    },
  },
};

export default config;
