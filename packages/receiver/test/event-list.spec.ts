import {
  type EventListOptions,
  eventList,
  ListError,
  type ReadList,
  redelivery,
} from "@countersign/receiver";
import {
  github,
  paypal,
  type ProviderDocument,
  reference,
  slack,
  square,
  stripe,
} from "@countersign/receiver/providers";
import { describe, expect, it } from "vitest";
import { receiverOf } from "./any-provider.ts";
import { NOON } from "./fixtures.ts";
import { sqliteInTest } from "./inboxes/in-test.ts";
import { type Asked, listOf, type Page, stripeEvent, stripePages } from "./reconcile-list.ts";

const HOUR = 3_600_000;
const since = NOON - HOUR;
const event = stripeEvent(1, { at: NOON - HOUR / 2 });
const deliveries = "https://api.github.com/repos/o/r/hooks/1/deliveries";

async function pagesOf(list: ReadList): Promise<number> {
  let pages = 0;
  for await (const _ of list({ since })) pages += 1;
  return pages;
}

/** The requests of a list that is read to its end. */
async function askedBy(
  provider: ProviderDocument,
  answer: (asked: Asked, number: number) => Page,
  options?: Partial<EventListOptions>,
): Promise<readonly Asked[]> {
  const { list, asked } = listOf(provider, answer, options);
  await pagesOf(list);
  return asked;
}

describe("an event list", () => {
  it("asks Stripe for events since a time, page by page, with the token", async () => {
    const events = Array.from({ length: 150 }, (_, index) => stripeEvent(index, { at: NOON }));
    const asked = await askedBy(stripe, stripePages(events));
    expect(asked.map(({ url }) => url.search)).toEqual([
      "?limit=100&created%5Bgte%5D=1795518000",
      "?limit=100&created%5Bgte%5D=1795518000&starting_after=evt_99",
    ]);
    expect(asked[0]?.headers["authorization"]).toBe("Bearer secret-token");
  });

  it("reads the events of each connected account of Stripe", async () => {
    const accounts = ["", "acct_1", "acct_1"];
    const asked = await askedBy(stripe, stripePages([event]), { accounts });
    expect(asked.map(({ headers }) => headers["Stripe-Account"])).toEqual([undefined, "acct_1"]);
  });

  it("follows GitHub's Link header, and ends at the first delivery before the time", async () => {
    const link = `<${deliveries}?per_page=100&cursor=next>; rel="next", <${deliveries}?cursor=a>; rel="prev"`;
    const answer = (_: Asked, number: number): Page => {
      const delivered_at = new Date([NOON, since - 1][number] ?? 0).toISOString();
      const delivery = { id: number, guid: `g-${String(number)}`, delivered_at, event: "push" };
      return { body: [{ ...delivery, action: null }], headers: { link } };
    };
    const asked = await askedBy(github, answer, { url: deliveries });
    expect(asked.map(({ url }) => url.searchParams.get("cursor"))).toEqual([null, "next"]);
  });

  it("follows PayPal's links", async () => {
    const next = "https://api-m.paypal.com/v1/notifications/webhooks-events?page=2";
    const links = [
      { rel: "self", href: "x" },
      { rel: "next", href: next },
    ];
    const asked = await askedBy(paypal, (_, number) => ({
      body: { events: [], links: number === 0 ? links : [] },
    }));
    expect(asked.map(({ url }) => url.href).at(-1)).toBe(next);
  });

  it("sends Square's time and cursor in the body", async () => {
    const asked = await askedBy(square, (_, number) => ({
      body: { events: [], ...(number === 0 && { cursor: "c1" }) },
    }));
    const query = { filter: { created_at: { start_at: "2026-11-24T11:00:00.000Z" } } };
    expect(asked.map(({ body }) => body)).toEqual([
      { limit: 100, query },
      { limit: 100, query, cursor: "c1" },
    ]);
  });

  it.each<[string, string, Page]>([
    ["a cursor that leads back", "REPEATED", { body: { data: [event], has_more: true } }],
    ["a redirect", "REDIRECTED", { status: 302, headers: { location: "https://evil.example" } }],
    ["401", "REFUSED", { status: 401 }],
    ["429 each time", "UNAVAILABLE", { status: 429, headers: { "retry-after": "7" } }],
    ["503 each time", "UNAVAILABLE", { status: 503 }],
    ["text that is not JSON", "UNREADABLE", { body: "<html>" }],
    ["no list of events", "UNREADABLE", { body: { data: {} } }],
    ["more pages and no cursor", "UNREADABLE", { body: { data: [], has_more: true } }],
  ])("ends with a coded sentence after %s", async (_what, code, answer) => {
    const { list } = listOf(stripe, () => answer);
    const error: unknown = await pagesOf(list).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ListError);
    expect(error).toHaveProperty("code", `CS_LIST_${code}`);
    expect(String(error)).not.toContain("secret-token");
  });

  it("refuses a next page on another host, and sends nothing there", async () => {
    const links = [{ rel: "next", href: "https://evil.example/next" }];
    const { list, asked } = listOf(paypal, () => ({ body: { events: [], links } }));
    await expect(pagesOf(list)).rejects.toMatchObject({ code: "CS_LIST_REDIRECTED" });
    expect(asked).toHaveLength(1);
  });

  it("waits after 429 as long as the provider asks, and goes on", async () => {
    const pages = stripePages([event]);
    const { list, waits } = listOf(stripe, (asked, number) =>
      number === 0 ? { status: 429, headers: { "retry-after": "7" } } : pages(asked),
    );
    expect([await pagesOf(list), waits]).toEqual([1, [7000]]);
  });

  it.each([
    ["a provider without a list", slack, undefined, "CS_LIST_UNSUPPORTED"],
    ["an address of http", reference, "http://10.0.0.1/v1/events", "CS_LIST_URL"],
    ["an address with a user", reference, "https://user:pass@example.com/", "CS_LIST_URL"],
    ["an address of a file", reference, "file:///etc/passwd", "CS_LIST_URL"],
    ["no address where the document has a part of one", reference, undefined, "CS_LIST_URL"],
  ])("refuses %s", (_what, provider, url, code) => {
    const refused: unknown = expect.objectContaining({ code });
    expect(() => eventList(provider, { token: "t", url })).toThrow(refused);
  });

  it("asks GitHub to deliver an event again by its number, beyond 2^53 too, five times a second", async () => {
    const asked: string[] = [];
    const waits: number[] = [];
    const again = redelivery(github, {
      token: "t",
      url: deliveries,
      fetch: async (url, { method }) => {
        asked.push(`${method} ${url}`);
        return new Response("{}", { status: 202 });
      },
      wait: async (ms) => void waits.push(ms),
    });
    await again("9007199254740993");
    expect(asked).toEqual([`POST ${deliveries}/9007199254740993/attempts`]);
    expect(waits).toEqual([200]);
  });
});

describe("reconciliation with a list that is wrong", () => {
  /** The handled events, and the code of the error. */
  async function feed(answer: (number: number) => object) {
    const { receiver, seen } = receiverOf(stripe, { inbox: sqliteInTest() });
    const { list } = listOf(stripe, (_, number) => ({
      body: { has_more: false, ...answer(number) },
    }));
    const wait = async (): Promise<void> => undefined;
    const run = receiver.reconcile(list, { since, until: NOON, feed: true, wait });
    const code = await run.then(
      () => undefined,
      (error: unknown) => (error instanceof ListError ? error.code : String(error)),
    );
    return [seen.map(({ id }) => id), code];
  }

  it("ends at a page that is repeated under new cursors, and feeds its events once", async () => {
    const run = feed((number) => ({
      data: [event, { ...event, id: number === 0 ? "evt_2" : "evt_1" }],
      has_more: number < 9,
    }));
    expect(await run).toEqual([["evt_1", "evt_2"], "CS_LIST_REPEATED"]);
  });

  it("feeds an id once that is listed with two bodies", async () => {
    const run = feed(() => ({ data: [event, { ...event, type: "charge.refunded" }] }));
    expect(await run).toEqual([["evt_1"], undefined]);
  });

  it.each([undefined, null, "", "two words", { id: "evt_1" }])(
    "ends at an event with the id %j",
    async (id) => {
      const run = feed(() => ({ data: [{ ...event, id }] }));
      expect(await run).toEqual([[], "CS_LIST_UNREADABLE"]);
    },
  );
});
