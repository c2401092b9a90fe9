import { eventList, ListError, type ReadList, redelivery } from "@countersign/receiver";
import { github, paypal, reference, slack, square, stripe } from "@countersign/receiver/providers";
import { createReceiver } from "@countersign/receiver";
import { describe, expect, it } from "vitest";
import { NOON, secret } from "./fixtures.ts";
import { sqliteInTest } from "./inboxes/in-test.ts";
import { type Asked, listOf, type Page, stripeEvent, stripePages } from "./reconcile-list.ts";

const HOUR = 3_600_000;
const since = NOON - HOUR;

/** Reads a list to its end. */
async function pagesOf(list: ReadList): Promise<number> {
  let pages = 0;
  for await (const _ of list({ since })) pages += 1;
  return pages;
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof ListError ? error.code : undefined;
const event = stripeEvent(1, { at: NOON - HOUR / 2 });
const page = (number: number): Page => ({
  body: { data: [stripeEvent(number, { at: NOON })], has_more: true },
});

describe("an event list", () => {
  it("asks Stripe for events since a time, page by page, with the token", async () => {
    const events = Array.from({ length: 150 }, (_, index) => stripeEvent(index, { at: NOON }));
    const { list, asked } = listOf(stripe, stripePages(events));

    expect(await pagesOf(list)).toBe(2);

    expect(asked.map(({ url }) => url.search)).toEqual([
      "?limit=100&created%5Bgte%5D=1795518000",
      "?limit=100&created%5Bgte%5D=1795518000&starting_after=evt_99",
    ]);
    expect(asked[0]?.headers["authorization"]).toBe("Bearer secret-token");
  });

  it("reads the events of each connected account of Stripe", async () => {
    const { list, asked } = listOf(stripe, stripePages([event]), {
      accounts: ["", "acct_1", "acct_1"],
    });

    await pagesOf(list);

    expect(asked.map(({ headers }) => headers["Stripe-Account"])).toEqual([undefined, "acct_1"]);
  });

  it("follows GitHub's Link header, and ends at the first delivery before the time", async () => {
    const url = "https://api.github.com/repos/o/r/hooks/1/deliveries";
    const deliveries = [NOON, since - 1].map((at, index) => [
      {
        id: index,
        guid: `g-${String(index)}`,
        delivered_at: new Date(at).toISOString(),
        event: "push",
        action: null,
      },
    ]);
    const link = `<${url}?per_page=100&cursor=next>; rel="next", <${url}?cursor=a>; rel="prev"`;
    const { list, asked } = listOf(
      github,
      (_, number) => ({ body: deliveries[number], headers: { link } }),
      { url },
    );

    expect(await pagesOf(list)).toBe(2);

    expect(asked[1]?.url.searchParams.get("cursor")).toBe("next");
  });

  it("follows PayPal's links", async () => {
    const next = "https://api-m.paypal.com/v1/notifications/webhooks-events?page=2";
    const answer = (_: Asked, number: number): Page => ({
      body: {
        events: [],
        links:
          number === 0
            ? [
                { rel: "self", href: "x" },
                { rel: "next", href: next },
              ]
            : [],
      },
    });
    const { list, asked } = listOf(paypal, answer);

    await pagesOf(list);

    expect(asked.map(({ url }) => url.href).at(-1)).toBe(next);
  });

  it("sends Square's time and cursor in the body", async () => {
    const answer = (_: Asked, number: number): Page => ({
      body: { events: [], ...(number === 0 && { cursor: "c1" }) },
    });
    const { list, asked } = listOf(square, answer);

    await pagesOf(list);

    const query = { filter: { created_at: { start_at: "2026-11-24T11:00:00.000Z" } } };
    expect(asked.map(({ body }) => body)).toEqual([
      { limit: 100, query },
      { limit: 100, query, cursor: "c1" },
    ]);
  });

  it.for([
    ["a cursor that leads back", "CS_LIST_REPEATED", () => page(1)],
    [
      "a redirect",
      "CS_LIST_REDIRECTED",
      () => ({ status: 302, headers: { location: "https://evil.example" } }),
    ],
    ["401", "CS_LIST_REFUSED", () => ({ status: 401 })],
    [
      "429 each time",
      "CS_LIST_UNAVAILABLE",
      () => ({ status: 429, headers: { "retry-after": "7" } }),
    ],
    ["503 each time", "CS_LIST_UNAVAILABLE", () => ({ status: 503 })],
    ["text that is not JSON", "CS_LIST_UNREADABLE", () => ({ body: "<html>" })],
    ["no list of events", "CS_LIST_UNREADABLE", () => ({ body: { data: {} } })],
    [
      "more pages and no cursor",
      "CS_LIST_UNREADABLE",
      () => ({ body: { data: [], has_more: true } }),
    ],
  ] as const)("ends with a coded sentence after %s", async ([, code, answer]) => {
    const { list } = listOf(stripe, answer);

    const error: unknown = await pagesOf(list).catch((caught: unknown) => caught);

    expect(codeOf(error)).toBe(code);
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

    expect(await pagesOf(list)).toBe(1);

    expect(waits).toEqual([7000]);
  });

  it("refuses a provider without a list", () => {
    const make = (): unknown => eventList(slack, { token: "t" });

    expect(make).toThrow(expect.objectContaining({ code: "CS_LIST_UNSUPPORTED" }));
  });

  it.for([
    "http://10.0.0.1/v1/events",
    "https://user:pass@example.com/",
    "file:///etc/passwd",
    undefined,
  ])("refuses the address %s", (url) => {
    const make = (): unknown => eventList(reference, { token: "t", url });

    expect(make).toThrow(expect.objectContaining({ code: "CS_LIST_URL" }));
  });

  it("asks GitHub to deliver an event again by its number, beyond 2^53 too, five times a second", async () => {
    const asked: string[] = [];
    const waits: number[] = [];
    const again = redelivery(github, {
      token: "t",
      url: "https://api.github.com/repos/o/r/hooks/1/deliveries",
      fetch: async (url, { method }) => {
        asked.push(`${method} ${url}`);
        return new Response("{}", { status: 202 });
      },
      wait: async (ms) => void waits.push(ms),
    });

    await again("9007199254740993");

    expect(asked).toEqual([
      "POST https://api.github.com/repos/o/r/hooks/1/deliveries/9007199254740993/attempts",
    ]);
    expect(waits).toEqual([200]);
  });
});

describe("reconciliation with a list that is wrong", () => {
  /** The handled events, and the code of the error. */
  async function feed(answer: (asked: Asked, number: number) => Page) {
    const handled: string[] = [];
    const receiver = createReceiver({
      provider: stripe,
      secrets: [secret],
      fallback: ({ id }) => void handled.push(id),
      inbox: sqliteInTest(),
      log: false,
      now: () => NOON,
    });
    const { list } = listOf(stripe, answer);
    const wait = async (): Promise<void> => undefined;
    const run = receiver.reconcile(list, { since, until: NOON, feed: true, wait });
    const error: unknown = await run.then(
      () => undefined,
      (caught: unknown) => caught,
    );
    return { handled, code: codeOf(error) };
  }

  it("ends at a page that is repeated under new cursors, and feeds its events once", async () => {
    const answer = (_: Asked, number: number): Page => ({
      body: {
        data: [event, { ...event, id: number === 0 ? "evt_2" : "evt_1" }],
        has_more: number < 9,
      },
    });

    const { handled, code } = await feed(answer);

    expect(code).toBe("CS_LIST_REPEATED");
    expect(handled).toEqual(["evt_1", "evt_2"]);
  });

  it("feeds an id once that is listed with two bodies", async () => {
    const twice = [event, { ...event, type: "charge.refunded" }];

    expect(await feed(() => ({ body: { data: twice, has_more: false } }))).toEqual({
      handled: ["evt_1"],
      code: undefined,
    });
  });

  it.for([undefined, null, "", "two words", { id: "evt_1" }])(
    "ends at an event with the id %j",
    async (id) => {
      const { handled, code } = await feed(() => ({
        body: { data: [{ ...event, id }], has_more: false },
      }));

      expect(code).toBe("CS_LIST_UNREADABLE");
      expect(handled).toEqual([]);
    },
  );
});
