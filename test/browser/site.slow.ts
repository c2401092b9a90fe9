import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { extname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { docs, readPages } from "../../docs/.vitepress/pages.ts";
import { searchOptions } from "../../docs/.vitepress/search.ts";
import { listen } from "../../packages/service/test/sandbox/listen.ts";
import { describeInBrowser, pageOfFile, violationsOf } from "./browser.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const built = `${docs}.vitepress/dist`;
const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

interface Searched {
  search(query: string): readonly { readonly id: string }[];
}

/** Serves the built site as a host of static files does, with addresses without `.html`. */
const serveSite = (): Promise<string> =>
  listen((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname.replace(/\/$/, "/index");
    const file = [path, `${path}.html`].find(
      (one) => extname(one) !== "" && existsSync(built + one),
    );
    response.writeHead(file === undefined ? 404 : 200, {
      "content-type": types[extname(file ?? "")] ?? "application/octet-stream",
    });
    response.end(file === undefined ? "" : readFileSync(built + file));
  });

describeInBrowser("the built documentation", () => {
  const emptyPage = pageOfFile();
  const paths = ["/"];
  beforeAll(() => {
    execFileSync("pnpm", ["run", "docs:site", "build", "docs"], { cwd: root, stdio: "pipe" });
    // The build generates some of the pages.
    for (const { pages } of readPages()) paths.push(...pages.map(({ path }) => `/${path}`));
  }, 1_800_000);

  it.each([
    [1440, "light", /api\/(?!sandbox)|providers\/(?!stripe|paypal)/],
    [1440, "dark", /guides|api|providers\/(?!stripe|paypal)/],
    [390, "light", /guides|api|providers\/(?!stripe|paypal)/],
  ] as const)(
    "has no accessibility violation and loads nothing from elsewhere, %i pixels wide, %s",
    async (width, theme, alike) => {
      const origin = await serveSite();
      const { page, faults } = await emptyPage(origin, { width, theme });
      const found: string[] = [];
      /* oxlint-disable no-await-in-loop -- one page at a time */
      for (const path of paths.filter((one) => !alike.test(one))) {
        await page.goto(origin + path, { waitUntil: "networkidle" });
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (overflow > 0) found.push(`${path} is ${String(overflow)} pixels too wide`);
        found.push(...(await violationsOf(page)).map((one) => `${path} ${one}`));
      }
      /* oxlint-enable no-await-in-loop */
      expect([...found, ...faults]).toEqual([]);
    },
    600_000,
  );

  it.each([
    ["stripe", "/start/stripe"],
    ["401", "/guides/troubleshooting"],
    ["wrong secret", "/guides/troubleshooting"],
    ["duplicate", "/guides/troubleshooting"],
    ["raw body", "/start/frameworks"],
    ["troubleshooting", "/guides/troubleshooting"],
    ["retry", "/concepts/retries"],
    ["order", "/guides/order"],
    ["github", "/start/github"],
    ["migrate", "/guides/migrating"],
    ["breaking changes", "/guides/diff"],
    ["add a provider", "/reference/contributing"],
    ["CS_BODY_CONSUMED", "/reference/codes"],
  ])("finds the right page first for %j", async (query, path) => {
    const [index = ""] = globSync("assets/chunks/*localSearchIndex*.js", { cwd: built });
    // The module that VitePress builds.
    const { default: json } = (await import(pathToFileURL(`${built}/${index}`).href)) as {
      default: string;
    };
    const vitepress = realpathSync(`${docs}node_modules/vitepress/package.json`);
    // The library that the page loads, whose types are not installed here.
    const { default: MiniSearch } = (await import(
      pathToFileURL(createRequire(vitepress).resolve("minisearch")).href
    )) as { default: { loadJSON(text: string, options: object): Searched } };
    // VitePress's own fields, and the site's options.
    const fields = { fields: ["title", "titles", "text"], storeFields: ["title", "titles"] };
    const found = MiniSearch.loadJSON(json, { ...fields, searchOptions }).search(query);
    expect(found[0]?.id.replace(/#.*/, "")).toBe(path);
  });

  it("finds a code offline, and links to its heading", async () => {
    const origin = await serveSite();
    const { page, faults } = await emptyPage(origin);
    await page.goto(`${origin}/start/stripe`);
    await page.keyboard.press("Control+k");
    await page.locator("#localsearch-input").fill("CS_BODY_CONSUMED");
    await page.locator(".result").first().click();
    await expect.poll(() => page.url()).toBe(`${origin}/reference/codes#cs_body_consumed`);
    await expect.poll(() => page.locator("#CS_BODY_CONSUMED").count()).toBe(1);
    expect(faults).toEqual([]);
  });

  it("has the heading of every link inside the site", () => {
    const page = (path: string): string => readFileSync(`${built}${path}.html`, "utf8");
    const broken = paths
      .map((path) => path.replace(/\/$/, "/index"))
      .flatMap((from) => {
        const links = page(from).matchAll(/ href="(\/[\w/.-]*)?#([^"]+)"/g);
        return [...links]
          .filter(
            ([, to = from, id = ""]) => !page(to.replace(/\.html$/, "")).includes(` id="${id}"`),
          )
          .map(([link]) => `${from}:${link}`);
      });
    expect(broken).toEqual([]);
  });

  it("lists every page in llms.txt, and serves each of them as Markdown", () => {
    const list = readFileSync(`${built}/llms.txt`, "utf8");
    const linked = [...list.matchAll(/\]\((\/.*)\.md\)/g)].map(([, path = ""]) => path);
    expect(["/", ...linked].toSorted()).toEqual(paths.toSorted());
    const all = readFileSync(`${built}/llms-full.txt`, "utf8");
    for (const path of linked) {
      const [, text = ""] =
        /^---[^]*?\n---\n([^]*)$/.exec(readFileSync(`${built + path}.md`, "utf8")) ?? [];
      expect(text.length).toBeGreaterThan(100);
      expect(all).toContain(text.trim());
    }
  });
});
