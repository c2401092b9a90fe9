import { expect, it } from "vitest";
import { openService } from "../open-service.ts";
import { refusal, validated } from "../validated.ts";

it("GET /v1/events lists the merchant's own events as they are delivered, the oldest first, page by page", async () => {
  const { call, pay, rows, merchant, addMerchant } = await openService();
  const other = await addMerchant();
  for (const of of [merchant, other, merchant]) await pay({ merchant: of });
  const own = "SELECT payload FROM events WHERE merchant_id = $1 ORDER BY seq";
  const stored = await rows(own, merchant.id);
  const listed: unknown[] = [];
  let after: string | null = "0";

  while (after !== null) {
    const answer = await call("GET", `/v1/events?limit=2&after=${after}`);
    const { events, next } = validated("events", answer);
    expect(events.length).toBeLessThanOrEqual(2);
    listed.push(...events);
    after = next;
  }

  expect(listed.length).toBeGreaterThan(2);
  expect(listed).toEqual(stored.map(({ payload }) => JSON.parse(String(payload)) as unknown));
});

it("GET /v1/events lists events that were made at `since` or later", async () => {
  const { call, pay, rows } = await openService();
  await pay();
  const [last] = await rows("SELECT max(created_at) AS at FROM events");
  const at = Number(last?.["at"]);
  const idsSince = async (since: number): Promise<number> => {
    const answer = await call("GET", `/v1/events?since=${new Date(since).toISOString()}`);
    return validated("events", answer).events.length;
  };

  expect(await idsSince(at)).toBeGreaterThan(0);
  expect(await idsSince(at + 1)).toBe(0);
});

it("GET /v1/events refuses a parameter that it cannot use", async () => {
  const { call } = await openService();
  for (const [query, member] of [
    ["since=yesterday", "/since"],
    ["limit=0", "/limit"],
    ["limit=101", "/limit"],
    ["limit=1.5", "/limit"],
    ["after=-1", "/after"],
    ["after=evt_1", "/after"],
  ] as const) {
    const members = { [member]: "INVALID_VALUE" };
    const answer = await call("GET", `/v1/events?${query}`);
    expect(refusal(answer)).toEqual({ status: 400, code: "INVALID_REQUEST", members });
  }
});
