import { profiles } from "@countersign/schemas/profiles";
import { expect, it } from "vitest";
import { attemptCurl, attemptTest } from "../../packages/inspector/src/event/snippets.ts";
import { Bodies } from "../../packages/inspector/src/timeline/bodies.ts";
import { NewsLog } from "../../packages/sandbox/src/news-log.ts";
import { createApi } from "../../packages/dev/src/api.ts";
import { KEY, openInspector, SECRET, TOKEN } from "./open-inspector.ts";
import { ownPage, send, session } from "./page-calls.ts";
import { SOON } from "./soon.ts";

const attemptOf = (headers: Readonly<Record<string, string>>) => ({
  number: 1,
  startedAt: "",
  durationMs: 0,
  status: 204,
  error: null,
  answer: null,
  headers,
});
const deliveryOf = (url: string) => ({
  deliveryId: "dlv_1",
  eventId: "",
  subscriptionKey: "sub_1",
  createdAt: "",
  attempts: [],
  state: "delivered" as const,
  nextAttemptAt: null,
  url,
});

/** C5 to C9: where anything is sent, what is told, and how much is kept. */
export function securityOfData(): void {
  it("C5 subscribes no address but the one of the command line, and replays to no other", async () => {
    const one = await openInspector();
    const headers = { ...ownPage(one), ...(await session(one)) };
    const subscribe = (members: object) =>
      send(one, "POST /inspector/api/sandbox/inspect/subscriptions", {
        headers,
        body: JSON.stringify({ subscriptionDetails: { type: "ALL" }, ...members }),
      });
    for (const url of [
      "http://127.0.0.1:1/",
      "http://169.254.169.254/",
      `${one.receiverUrl}/x`,
      "",
    ]) {
      expect((await subscribe({ url })).status).toBe(400);
    }
    const direct = { headers, body: JSON.stringify({ url: "http://127.0.0.1:1/" }) };
    expect((await send(one, "POST /inspector/api/v1/webhook/subscribe", direct)).status).toBe(404);
    expect((await subscribe({})).status).toBe(201);
    await one.api("POST", "/sandbox/events", { type: "account.linked" });
    await expect.poll(() => one.arrived.length, SOON).toBe(1);
    const { deliveries } = (await one.api("GET", "/sandbox/deliveries")).body as {
      deliveries: { deliveryId: string }[];
    };
    const replay = `POST /inspector/api/sandbox/deliveries/${deliveries[0]?.deliveryId ?? ""}/replay`;
    const elsewhere = { headers, body: JSON.stringify({ url: "http://127.0.0.1:1/" }) };
    expect((await send(one, replay, elsewhere)).status).toBe(400);
    expect((await send(one, replay, { headers, body: "{}" })).status).toBe(202);
    await expect.poll(() => one.arrived.length, SOON).toBe(2);
  });

  it("C5 runs the checks against the address of the command line, and takes no other", async () => {
    const ran: string[] = [];
    const one = await openInspector({
      checksOf: ({ url }) => ({
        owed: () => Promise.resolve([]),
        run: () => {
          ran.push(url);
          return Promise.resolve({});
        },
      }),
    });
    const headers = { ...ownPage(one), ...(await session(one)) };
    const start = (body: object) =>
      send(one, "POST /inspector/api/sandbox/inspect/checks", {
        headers,
        body: JSON.stringify(body),
      });
    expect((await start({ url: "http://169.254.169.254/" })).status).toBe(400);
    expect((await start({ target: { url: "http://127.0.0.1:1/" } })).status).toBe(400);
    expect(ran).toEqual([]);
    expect((await start({})).status).toBe(202);
    expect(ran).toEqual([one.receiverUrl]);
  });

  it("C6 sends the page each text in a form that no terminal obeys where it is printed", async () => {
    const one = await openInspector();
    const { cookie = "" } = await session(one);
    const controls = String.fromCodePoint(
      ...Array.from({ length: 32 }, (_, index) => index),
      ...Array.from({ length: 33 }, (_, index) => 127 + index),
      0x202e,
      0x2066,
    );
    const made = await one.api("POST", "/sandbox/events", {
      type: "account.linked",
      data: { id: controls, [controls]: controls },
    });
    const { id, payload } = made.body as { id: string; payload: string };
    const { text } = await send(one, `GET /inspector/api/sandbox/inspect/events/${id}`, {
      headers: { cookie },
    });
    // C0, which every terminal obeys, is escaped twice: in the payload and in the answer that holds it.
    expect(text).not.toMatch(/(?!\n)\p{Cc}(?<![\x7F-\x9F])/u);
    const event = { id, type: "account.linked", category: "ACCOUNT", timestamp: "", payload };
    const headers = { "webhook-id": id, "x-odd": controls.slice(1) };
    const attempt = { ...attemptOf(headers), startedAt: "" };
    const delivery = { ...deliveryOf(one.receiverUrl), eventId: id };
    // What the page gives to be pasted: the attempt as a line for a shell, and as a test.
    for (const copied of [
      attemptCurl(delivery, attempt, event),
      attemptTest(event, profiles.standard.signature),
    ]) {
      expect(copied).toMatch(/^[\n\x20-\x7E]+$/);
    }
  });

  it("C7 tells the page neither the token, nor the key, nor a subscription's secret", async () => {
    const one = await openInspector();
    const headers = { ...ownPage(one), ...(await session(one)) };
    const post = (path: string, body: object) =>
      send(one, `POST /inspector/api${path}`, { headers, body: JSON.stringify(body) });
    await post("/sandbox/inspect/subscriptions", { subscriptionDetails: { type: "ALL" } });
    await post("/sandbox/events", { type: "account.linked" });
    await expect.poll(() => one.arrived.length, SOON).toBe(1);
    const shown = async (path: string): Promise<string> =>
      (await send(one, `GET /inspector/api${path}`, { headers })).text;
    const { deliveries } = JSON.parse(await shown("/sandbox/deliveries")) as {
      deliveries: { deliveryId: string; eventId: string }[];
    };
    const { deliveryId = "", eventId = "" } = deliveries[0] ?? {};
    const texts = [
      await shown("/sandbox/inspect"),
      await shown(`/sandbox/inspect/events/${eventId}`),
      await shown("/sandbox/subscriptions"),
      await shown("/sandbox/merchants"),
      (await post("/sandbox/inspect/signatures", { deliveryId, attempt: 1 })).text,
    ];
    expect(texts[4]).toContain('"verdict":"genuine"');
    for (const secret of [TOKEN, KEY, SECRET, SECRET.slice(6)]) {
      expect(texts.filter((text) => text.includes(secret))).toEqual([]);
    }
    // Whose answer would tell a token of another namespace.
    expect((await post("/sandbox/merchants", {})).status).toBe(404);
  });

  it("C9 keeps 1,000 pieces of news for a page that comes back, and the newest 1,000 payloads in it", () => {
    const log = new NewsLog("run");
    for (let told = 0; told < 1500; told += 1) log.add("event", { number: told });
    expect(log.after("run.500")?.match(/^event: /gm)).toHaveLength(1000);
    expect(log.after("run.499")).toBeUndefined();
    const large = new NewsLog("run");
    for (let told = 0; told < 10; told += 1) large.add("event", { payload: "x".repeat(1_000_000) });
    expect(large.after("run.7")?.length).toBeLessThan(4_000_000);
    expect(large.after("run.6")).toBeUndefined();

    const bodies = new Bodies();
    for (let told = 0; told < 1500; told += 1)
      bodies.set(`evt_${String(told)}`, "x".repeat(50_000));
    expect(bodies.size).toBeLessThanOrEqual(1000);
    // Two bytes a character.
    expect(bodies.characters * 2).toBeLessThanOrEqual(50_000_000);
    expect(bodies.get("evt_1499")).toHaveLength(50_000);
  });

  it("B18 shows another namespace's token nothing of this one, by whatever id", async () => {
    const one = await openInspector();
    await one.api("POST", "/v1/webhook/subscribe", {
      url: one.receiverUrl,
      secretKey: SECRET,
      subscriptionDetails: { type: "ALL" },
    });
    await one.api("POST", "/sandbox/events", { type: "account.linked" });
    await expect.poll(() => one.arrived.length, SOON).toBe(1);
    await one.api("POST", "/sandbox/outcomes", { outcome: "handled", eventId: "evt_1" });
    const { deliveries } = (await one.api("GET", "/sandbox/deliveries")).body as {
      deliveries: { deliveryId: string; eventId: string }[];
    };
    const { deliveryId = "", eventId = "" } = deliveries[0] ?? {};
    const made = (await one.api("POST", "/sandbox/merchants", {})).body as { accessToken: string };
    const other = createApi(one.url, made.accessToken);
    const order = { deliveryId, attempt: 1 };
    expect((await one.api("GET", `/sandbox/inspect/events/${eventId}`)).status).toBe(200);
    expect((await one.api("POST", "/sandbox/inspect/signatures", order)).status).toBe(200);
    expect((await other("GET", `/sandbox/inspect/events/${eventId}`)).status).toBe(404);
    expect((await other("POST", "/sandbox/inspect/signatures", order)).status).toBe(404);
    expect((await other("GET", "/sandbox/inspect/refunds/ref_x")).status).toBe(404);
    expect((await other("GET", "/sandbox/outcomes")).body).toEqual({ outcomes: [] });
    expect((await other("GET", "/sandbox/inspect/timeline")).body).toMatchObject({ events: [] });
    expect((await other("GET", "/sandbox/inspect/due")).body).toMatchObject({ next: null });
  });
}
