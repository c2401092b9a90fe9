import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { standardWebhooks } from "@countersign/signatures";
import { describe, expect, it, onTestFinished } from "vitest";
import { openReceiver, openSandbox, refusal, SECRET } from "./open-sandbox.ts";
import { SOON } from "./soon.ts";

const START = "2026-03-02T15:00:00.000Z";
const DAY_MS = 86_400_000;

/** Real time, as a sandbox sees it: it stands until the test moves it. */
function realTime(): { now: () => number; advance: (ms: number) => void } {
  let now = Date.parse("2026-11-20T15:00:00.000Z");
  return { now: () => now, advance: (ms) => void (now += ms) };
}

describe("a namespace's clock that is moved by 100 days", () => {
  it("signs attempts with real time, while the event is of the clock's", async () => {
    const clock = realTime();
    const one = await openSandbox({ clock });
    const receiver = await openReceiver();
    const token = await one.addNamespace({ now: START });
    await one.subscribe(receiver.url, { token });
    await one.call("PUT", "/sandbox/clock", { token, json: { advance: "P100D" } });
    await one.call("POST", "/sandbox/customers", { token });
    await expect.poll(() => receiver.arrived.length, SOON).toBe(1);
    const [attempt] = receiver.arrived;
    expect(Number(attempt?.headers["webhook-timestamp"])).toBe(clock.now() / 1000);
    expect(JSON.parse(String(attempt?.body))).toMatchObject({
      timestamp: "2026-06-10T15:00:00.000Z",
    });
    const { headers = {}, body = Buffer.alloc(0) } = attempt ?? {};
    const verified = standardWebhooks().verify({ headers, body }, [{ raw: SECRET }], {
      now: clock.now(),
    });
    expect(verified.ok).toBe(true);
  });

  it("ends no token: an hour of real time does", async () => {
    const clock = realTime();
    const one = await openSandbox({ clock });
    const { clientId = "", clientSecret = "" } = one.opened.seeded ?? {};
    const json = {
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
    };
    const granted = await one.call("POST", "/v1/tokens", { token: null, json });
    const token = String(granted.body["access_token"]);
    await one.call("PUT", "/sandbox/clock", { token, json: { advance: "P100D" } });
    const read = () => one.call("GET", "/sandbox/clock", { token });
    clock.advance(3_599_999);
    expect((await read()).status).toBe(200);
    clock.advance(1);
    expect(refusal(await read())).toEqual({ status: 401, code: "UNAUTHENTICATED" });
  });

  it("ends no lease of an attempt: real time does, and the attempt is made then", async () => {
    const clock = realTime();
    const one = await openSandbox({ clock });
    const receiver = await openReceiver(500, 204);
    const token = await one.addNamespace({ now: START });
    await one.subscribe(receiver.url, { token });
    await one.call("POST", "/sandbox/customers", { token });
    await one.call("PUT", "/sandbox/clock", { token, json: { advance: "PT0S" } });
    expect(receiver.arrived).toHaveLength(1);
    // A worker that died with it.
    const { driver } = one.sandbox.service;
    await driver.transaction((tx) =>
      tx.query("UPDATE deliveries SET leased_until = $1", [clock.now() + 60_000]),
    );
    await one.call("PUT", "/sandbox/clock", { token, json: { advance: "P100D" } });
    expect(receiver.arrived).toHaveLength(1);
    clock.advance(60_001);
    one.sandbox.engine.onWork();
    await expect.poll(() => receiver.arrived.length, SOON).toBe(2);
  });

  it("shortens no deadline: what hangs is given up when its real time is over", async () => {
    const one = await openSandbox({ delivery: { deadlineMs: 300 } });
    const server = createServer(() => {}).listen(0, "127.0.0.1");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise((resolve) => server.once("listening", resolve));
    // A listening TCP server has an address with a port.
    const { port } = server.address() as AddressInfo;
    const token = await one.addNamespace({ now: START });
    await one.subscribe(`http://127.0.0.1:${port}/`, { token });
    await one.call("POST", "/sandbox/customers", { token });
    const moved = await one.call("PUT", "/sandbox/clock", { token, json: { advance: "PT1S" } });
    expect(moved.status).toBe(200);
    const [delivery] = await one.list("/sandbox/deliveries", { token });
    const [attempt] = (delivery?.["attempts"] ?? []) as { status: null; durationMs: number }[];
    expect(attempt?.status).toBeNull();
    expect(attempt?.durationMs).toBeGreaterThanOrEqual(299);
  });

  it("meets no rate limit: a sandbox has none", async () => {
    const one = await openSandbox({ clock: realTime() });
    const { settled } = one.opened.seeded?.payments ?? {};
    const amount = { currency: "USD", value: 0.01 };
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) => {
        const json = { paymentId: settled, amount, requestKey: `k-${at}` };
        return one.call("POST", "/v1/refunds", { json });
      }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  });

  it("moves the retries of deliveries and the thresholds of refunds, and nobody else's", async () => {
    const clock = realTime();
    const one = await openSandbox({ clock });
    const receiver = await openReceiver(500, 204);
    const token = await one.addNamespace({ now: START });
    await one.subscribe(receiver.url);
    const { recent } = one.opened.seeded?.payments ?? {};
    const json = { paymentId: recent, amount: { currency: "USD", value: 1 }, requestKey: "k" };
    await one.call("POST", "/v1/refunds", { json });
    await one.call("PUT", "/sandbox/clock", { json: { advance: "PT0S" } });
    expect(receiver.arrived).toHaveLength(1);
    // Neither real time nor another namespace's clock.
    clock.advance(100 * DAY_MS);
    one.sandbox.engine.onWork();
    await one.call("PUT", "/sandbox/clock", { token, json: { advance: "P100D" } });
    expect(receiver.arrived).toHaveLength(1);
    await one.call("PUT", "/sandbox/clock", { json: { advance: "P100D" } });
    expect(receiver.arrived.map(({ type }) => type)).toEqual([
      "refund.pending",
      "refund.pending",
      "refund.authorized",
    ]);
  });
});
