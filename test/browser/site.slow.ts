import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { docs, readPages } from "../../docs/.vitepress/pages.ts";
import { listen } from "../../packages/sandbox/test/listen.ts";
import { describeInBrowser, pageOfFile, violationsOf } from "./browser.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const built = `${docs}.vitepress/dist`;
const paths = ["/", ...readPages().flatMap(({ pages }) => pages.map(({ path }) => `/${path}`))];
const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

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
  beforeAll(() => {
    execFileSync("pnpm", ["run", "docs:site", "build", "docs"], { cwd: root, stdio: "pipe" });
  }, 600_000);

  it.each([
    [1440, "light", paths.filter((path) => !/api\/(?!sandbox)/.test(path))],
    [1440, "dark", paths.filter((path) => !/guides|api/.test(path))],
    [390, "light", paths.filter((path) => !/guides|api/.test(path))],
  ] as const)(
    "has no accessibility violation and loads nothing from elsewhere, %i pixels wide, %s",
    async (width, theme, visited) => {
      const origin = await serveSite();
      const { page, faults } = await emptyPage(origin, { width, theme });
      const found: string[] = [];
      /* oxlint-disable no-await-in-loop -- one page at a time */
      for (const path of visited) {
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

  it("finds a code offline, and links to its heading", async () => {
    const origin = await serveSite();
    const { page, faults } = await emptyPage(origin);
    await page.goto(`${origin}/start/express`);
    await page.keyboard.press("Control+k");
    await page.locator("#localsearch-input").fill("CS_BODY_CONSUMED");
    await page.locator(".result").first().click();
    await expect.poll(() => page.url()).toBe(`${origin}/reference/codes#cs_body_consumed`);
    expect(await page.locator("#CS_BODY_CONSUMED").count()).toBe(1);
    expect(faults).toEqual([]);
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
