import net, { type AddressInfo } from "node:net";
import { profiles } from "@countersign/schemas/profiles";
import type { Request } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { receiverCheckRunner } from "../../packages/cli/src/receiver-check-runner.ts";
import { browserOfFile, describeInBrowser } from "./chromium.ts";
import { firstUse } from "./first-use.ts";
import { hostileTextsInPage } from "./hostile.ts";
import { someHostileTexts } from "./hostile-texts.ts";
import { KEY, openInspector } from "./open-inspector.ts";
import { pictures } from "./pictures.ts";
import { mouse } from "./hand.ts";
import { openPage } from "./watch-page.ts";

const NAME = "An attempt without a signature is refused, and no handler runs.";

// One file, one browser: starting one takes as long as most of these tests. The long lane has the long forms.
describeInBrowser("the inspector's page", () => {
  const browser = browserOfFile();
  firstUse(browser, "a mouse", () => mouse);
  hostileTextsInPage(browser, someHostileTexts);
  pictures(browser, [{ width: "narrow", theme: "light" }]);

  it("has every form within reach in a narrow page, shows each control's curl line and obeys keys", async () => {
    const one = await openInspector();
    const { page, faults } = await openPage(await browser(), one, {
      viewport: { width: 360, height: 780 },
    });
    const link = (name: string) => page.getByRole("link", { name });
    const forms = [
      ["Customers", "a new customer"],
      ["Payments", "a new payment"],
      ["Subscriptions", "a new subscription"],
      ["Timeline", "+ event"],
    ] as const;
    for (const [view, name] of forms) {
      await page.getByRole("navigation").getByRole("link", { name: view }).click();
      await link(name).click();
      await page.locator(".detail .primary").waitFor();
    }
    await link("Faults").click();
    const { x = -1 } = (await link("Faults").boundingBox()) ?? {};
    expect(x >= 0 && x < 340).toBe(true);

    await page.setViewportSize({ width: 1280, height: 720 });
    const line = page.locator(".calls summary");
    await page.getByRole("button", { name: "+1 business day" }).hover();
    await line
      .getByText(/^curl -X PUT .* -d '\{"now":"[^"]+"\}' '[^']+\/sandbox\/clock'$/)
      .waitFor();
    for (const view of ["payments", "customers", "subscriptions", "faults", "checks"]) {
      await page.evaluate((hash) => (location.hash = hash), `#/${view}/new`);
      await page.locator("button.primary, .list-head button").first().focus();
      await expect.poll(() => line.innerText()).toMatch(/^curl .*\/sandbox\//);
    }

    await page.evaluate(() => (location.hash = "#/timeline"));
    await page.locator("a.row").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("payment.failed");
    await page.getByText("1 of 15").waitFor();
    await page.locator(".rows").focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("heading", { name: "payment.failed" }).waitFor();
    expect(await page.evaluate(() => location.hash)).toMatch(/^#\/timeline\/evt_/);
    expect(faults).toEqual([]);
  });

  it("runs the checks against the command line's receiver and shows each finding's evidence", async () => {
    // This receiver answers 204 to everything: it believes whatever it gets.
    const one = await openInspector({
      checksOf: (target) =>
        receiverCheckRunner({ ...target, profile: profiles.standard, profileName: "standard" }),
    });
    const { page, faults } = await openPage(await browser(), one);
    await page.getByRole("link", { name: "Checks" }).click();
    await page.getByRole("heading", { name: /^\d+ requirements of a receiver$/ }).waitFor();
    await page.getByText("not run yet").waitFor();
    await page.getByRole("button", { name: "run the checks" }).click();
    const row = page.locator("a.row", { hasText: "R-VERIFY-UNSIGNED" });
    await row.locator(".badge", { hasText: "fail" }).waitFor();
    await page.getByRole("button", { name: "stop" }).click();
    await page.getByText("the run was interrupted").first().waitFor();

    await row.click();
    await page.getByRole("heading", { name: NAME }).waitFor();
    const card = page.locator(".card", { hasText: "receiver/unsigned" });
    await card.locator(".said").waitFor();
    await card.getByText("sent, as bytes").first().waitFor();
    expect(await card.locator("pre").first().innerText()).toMatch(/^POST \/webhooks HTTP\/1\.1/);
    expect(await card.innerText()).toContain("countersign verify receiver --url");
    const facts = await page.locator("article .facts").innerText();
    expect(facts).toContain("docs/requirements.md#r-verify-unsigned");
    expect(faults).toEqual([]);
  });

  it("shows the option that the checks need if the sandbox has no receiver", async () => {
    const { page } = await openPage(await browser(), await openInspector({ noTarget: true }));
    await page.getByRole("link", { name: "Checks" }).click();
    const command = "countersign sandbox --deliver-to http://localhost:3000/webhooks";
    await page.getByText(command).waitFor();
    expect(await page.getByRole("button", { name: /run/ }).count()).toBe(0);
  });

  it("resumes a broken stream without reading anything again, and reports the end of its session", async () => {
    const one = await openInspector({ allowedHosts: ["127.0.0.1"] });
    const other = await openInspector({ allowedHosts: ["127.0.0.1"] });
    const way = await openCuttable(one.port);
    const origin = `http://127.0.0.1:${String(way.port)}`;
    const at = { url: origin, address: `${origin}/inspector/#key=${KEY}` };
    const { page, faults } = await openPage(await browser(), at);
    const sent: Request[] = [];
    page.on("request", (request) => sent.push(request));
    const sentTo = (path: string) => sent.filter((request) => request.url().includes(path));
    const row = (type: string) => page.locator("a.row", { hasText: type }).first();
    await page.locator(".live.on").waitFor();
    await one.api("POST", "/sandbox/events", { type: "account.linked" });
    await row("account.linked").waitFor();
    const before = sentTo("/inspect/timeline").length;

    way.cut();
    await page.getByText("connecting…").waitFor();
    for (const type of ["payment.canceled", "account.updated"])
      await one.api("POST", "/sandbox/events", { type });
    way.restore();
    await page.locator(".live.on").waitFor();
    await row("payment.canceled").waitFor();
    await row("account.updated").waitFor();
    const last = sentTo("/sandbox/stream").at(-1);
    expect(await last?.headerValue("last-event-id")).toMatch(/^[\w-]+\.\d+$/);
    expect(sentTo("/inspect/timeline")).toHaveLength(before);
    expect(faults).toEqual([]);

    // Another run of the sandbox has the same address, and does not know the session.
    await page.route("**/inspector/api/**", (route) =>
      route.continue({ url: route.request().url().replace(origin, other.url) }),
    );
    way.cut();
    way.restore();
    await page.getByText("ended: open the address that the sandbox has printed").waitFor();
    expect(await page.locator(".live.on").count()).toBe(0);
  });

  it("keeps everything in place while events stream in, pauses, and forgets after a reset", async () => {
    const one = await openInspector();
    const emit = async (type: string, count: number): Promise<void> => {
      for (let made = 0; made < count; made += 1)
        await one.api("POST", "/sandbox/events", { type });
    };
    await emit("customer.created", 25);
    await one.api("POST", "/sandbox/outcomes", { outcome: "rejected", code: "CS_X" });
    const { page, faults } = await openPage(await browser(), one);
    await page.getByText("40 events").waitFor();
    await page.locator(".rows").evaluate((element) => (element.scrollTop = 0));
    const pointed = page.locator("a.row", { hasText: "customer.created" }).nth(3);
    const id = await pointed.getAttribute("href");
    await pointed.click();
    await page.getByText("fits the schema").waitFor();
    const watched = [`a.row[href="${String(id)}"]`, "article h1", ".clock .buttons", ".pause"];
    const places = (): Promise<unknown[]> =>
      Promise.all(
        [...watched, ".calls"].map((selector) => page.locator(selector).first().boundingBox()),
      );
    const before = await places();
    await page.evaluate(() => {
      const shifts: string[] = [];
      Object.assign(globalThis, { shifts });
      new PerformanceObserver((list) => {
        // Chromium's Layout Instability API: elements that moved without scrolling or typing.
        for (const { sources } of list.getEntries() as (PerformanceEntry & {
          sources: readonly { node: Node | null }[];
        })[]) {
          for (const { node } of sources) {
            // A counter gains digits within its own box.
            const isCounter = node?.parentElement?.closest(".count, .newer") != null;
            if (!isCounter) shifts.push(node instanceof Element ? node.className : "text");
          }
        }
      }).observe({ type: "layout-shift" });
    });
    await emit("account.linked", 60);
    await page.getByText("100 events").waitFor();
    await page.getByRole("button", { name: "↑ 60 new" }).waitFor();
    expect(await places()).toEqual(before);
    // Set above.
    const moved = await page.evaluate(() => (globalThis as unknown as { shifts: string[] }).shifts);
    expect(moved).toEqual([]);
    await page.getByRole("button", { name: "↑ 60 new" }).click();
    await page.locator("a.row", { hasText: "account.linked" }).first().waitFor();
    await expect.poll(() => page.getByRole("button", { name: /↑/ }).count()).toBe(0);

    await page.getByRole("button", { name: "pause" }).click();
    await emit("account.updated", 1);
    await page.getByRole("button", { name: "resume (1 new)" }).waitFor();
    const paused = page.locator("a.row", { hasText: "account.updated" });
    expect(await paused.count()).toBe(0);
    await page.getByRole("button", { name: "resume (1 new)" }).click();
    await paused.waitFor();

    await page.locator(".more summary").click();
    await page.getByLabel("forget everything").check();
    await page.getByRole("button", { name: "reset" }).click();
    await page.getByRole("heading", { name: "Nothing has happened yet" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await page.locator(".more").getAttribute("open")).toBeNull();
    expect((await one.api("GET", "/sandbox/outcomes")).body).toEqual({ outcomes: [] });
    expect(faults).toEqual([]);
  });
});

/** Opens a way to a port of this machine; until `restore`, `cut` ends all connections and refuses new ones. */
async function openCuttable(to: number) {
  const open = new Set<net.Socket>();
  let isCut = false;
  const server = net.createServer((near) => {
    const far = net.connect(to, "127.0.0.1");
    const end = (): void => [near, far].forEach((socket) => void socket.destroy());
    for (const socket of [near, far]) {
      open.add(socket);
      // Connections break here on purpose.
      socket.on("error", end).on("close", end);
    }
    if (isCut) end();
    else near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const cut = (): void => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  // A listening TCP server has an address with a port.
  return { port: (server.address() as AddressInfo).port, cut, restore: () => (isCut = false) };
}
