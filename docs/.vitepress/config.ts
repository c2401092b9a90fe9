import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { DefaultTheme, UserConfig } from "vitepress";
import llmstxt from "vitepress-plugin-llms";
import { docs, isCode, readPages, REPOSITORY, slugOf } from "./pages.ts";

const parts = readPages().filter(({ pages }) => pages.length > 0);
const description = "Webhook receiver and contract-test kit for payment providers and merchants";
const linkTo = ({ path }: { readonly path: string }): string => `/${path}`;

const config: UserConfig<DefaultTheme.Config> = {
  title: "Countersign",
  description,
  lang: "en-US",
  cleanUrls: true,
  srcExclude: ["ci/**"],
  // llms.txt lists the pages, llms-full.txt has their text, and each page is served as Markdown.
  // The cast: the plugin's types are those of a later Vite than VitePress's.
  vite: { plugins: llmstxt({ ignoreFiles: ["ci/**"] }) as unknown as never[] },
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
        // A code or a name leads to its own heading before texts that mention it.
        miniSearch: {
          searchOptions: { combineWith: "AND", boost: { title: 20, text: 2, titles: 1 } },
        },
      },
    },
    outline: [2, 3],
    nav: parts
      .filter(({ heading }) => heading !== "API")
      .map(({ heading, pages: [first, ...others] }) => ({
        text: heading,
        link: first === undefined ? "/" : linkTo(first),
        activeMatch: `^/(?:${[first, ...others].map((page) => page?.path).join("|")})$`,
      })),
    sidebar: parts.map(({ heading, pages }) => ({
      text: heading,
      items: pages.map((page) => ({ text: page.title, link: linkTo(page) })),
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
          token.attrSet("href", `${REPOSITORY}/blob/main/${target}${/#.*/.exec(href)?.[0] ?? ""}`);
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
