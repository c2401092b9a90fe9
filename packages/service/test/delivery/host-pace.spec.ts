import { describe, expect, it } from "vitest";
import { HostPaces } from "../../src/delivery/host-pace.ts";
import { answered } from "./queue.ts";

const HOST = "merchant.example";

describe("a host that has more than it can take", () => {
  it.each([429, 502, 504])("gets half the attempts at one time and rests after a %d", (status) => {
    const paces = new HostPaces(8);
    paces.answered(HOST, answered(status), 1000);
    expect(paces.limit(HOST)).toBe(4);
    expect(paces.rests(HOST, 1499)).toBe(true);
    expect(paces.rests(HOST, 1500)).toBe(false);
    expect(paces.limit("other.example")).toBe(8);
    expect(paces.rests("other.example", 1000)).toBe(false);
  });

  it.each([200, 204, 301, 400, 404, 410, 500, 503])("is not slowed by a %d", (status) => {
    const paces = new HostPaces(8);
    paces.answered(HOST, answered(status), 1000);
    expect([paces.limit(HOST), paces.rests(HOST, 1000)]).toEqual([8, false]);
  });

  it("rests twice as long each time, up to a minute, and is never stopped", () => {
    const paces = new HostPaces(8);
    const rests: number[] = [];
    let now = 0;
    for (let time = 0; time < 12; time += 1) {
      paces.answered(HOST, answered(429), now);
      // What was under way says the same: it counts once.
      paces.answered(HOST, answered(429), now);
      const from = now;
      while (paces.rests(HOST, now)) now += 100;
      rests.push(now - from);
    }
    expect(rests).toEqual([
      500,
      1000,
      2000,
      4000,
      8000,
      16_000,
      32_000,
      ...Array.from({ length: 5 }, () => 60_000),
    ]);
    expect(paces.limit(HOST)).toBe(1);
  });

  it("recovers with each success", () => {
    const paces = new HostPaces(4);
    paces.answered(HOST, answered(429), 0);
    paces.answered(HOST, answered(429), 500);
    expect(paces.limit(HOST)).toBe(1);
    paces.answered(HOST, answered(204), 600);
    expect([paces.limit(HOST), paces.rests(HOST, 600)]).toEqual([2, false]);
    paces.answered(HOST, answered(204), 600);
    paces.answered(HOST, answered(204), 600);
    expect(paces.limit(HOST)).toBe(4);
  });

  it("is forgotten after thousands of others", () => {
    const paces = new HostPaces(8);
    for (let host = 0; host < 5000; host += 1) paces.answered(`h${String(host)}`, answered(429), 0);
    expect([paces.limit("h0"), paces.limit("h4999")]).toEqual([8, 4]);
  });
});
