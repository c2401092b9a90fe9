import { profiles } from "@countersign/schemas/profiles";
import { standardWebhooks } from "@countersign/signatures";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../manual-clock.ts";
import { openReceiver, openSandbox, refusal, SECRET, shareSandbox, START } from "./open-sandbox.ts";

/** Wall time, as the sandbox sees it: it stands until a test moves it. */
const clock = new ManualClock("2026-11-20T15:00:00.000Z");
const schedule = { steps: [0, 5000, 300_000], jitter: 0, retryAfterFactor: 2 };
const open = shareSandbox({ clock, delivery: { schedule } });

describe("PUT /sandbox/clock", () => {
  it("moves to an instant or by a duration and returns the instants at which something was due", async () => {
    const one = await open();
    const receiver = await openReceiver(500);
    const token = await one.addNamespace(START);
    await one.subscribe(receiver.url, token);
    await one.emit("customer.created", token);
    await receiver.hasArrived(1);
    expect((await one.move({ advance: "PT1M" }, token)).body).toEqual({
      now: "2026-03-02T15:01:00.000Z",
      instants: ["2026-03-02T15:00:05.000Z"],
    });
    expect((await one.move({ now: "2026-03-02T16:00:00Z" }, token)).body).toEqual({
      now: "2026-03-02T16:00:00.000Z",
      instants: ["2026-03-02T15:05:05.000Z"],
    });
    expect(receiver.arrived).toHaveLength(3);
    const attempts = [{ number: 1, status: 500 }, {}, { number: 3 }];
    expect(await one.list("/sandbox/deliveries", token)).toMatchObject([
      { state: "exhausted", nextAttemptAt: null, attempts },
    ]);
  });

  it("adds up simultaneous moves", async () => {
    const one = await open();
    const token = await one.addNamespace(START);
    await Promise.all([1, 2, 3].map(() => one.move({ advance: "P1DT1H1M0.5S" }, token)));
    const { body } = await one.call("GET", "/sandbox/clock", { token });
    expect(body).toMatchObject({ now: "2026-03-05T18:03:01.500Z", next: null });
  });

  it("rejects a move back, beyond the bank calendar, and a malformed one", async () => {
    const one = await open();
    const token = await one.addNamespace(START);
    const moved = async (json: object) => refusal(await one.move(json, token));
    expect(await moved({ now: "2026-03-02T14:59:59.999Z" })).toBe("409 CLOCK_GOES_FORWARD");
    expect(await moved({ advance: "P9000D" })).toBe("422 CLOCK_OUT_OF_RANGE");
    const now = "400 INVALID_REQUEST, /now INVALID_VALUE";
    for (const json of [
      {},
      { now: START, advance: "P1D" },
      { now: "yesterday" },
      { now: "2026-03-02" },
      { now: "2026-02-30T25:00:00Z" },
      { now: 1_772_463_600 },
    ])
      expect([json, await moved(json)]).toEqual([json, now]);
    const durations =
      "|P|PT|P1DT|3D|P1Y|P1M|P1W|-P1D|P-1D|P1.5D|PT1.2345S|PT1M1H|p3d|P3D |P100000D";
    for (const advance of [...durations.split("|"), 3])
      expect(await moved({ advance })).toBe("400 INVALID_REQUEST, /advance INVALID_VALUE");
  });

  it("T-17 moves only as far as a payment that settles then has a threshold", async () => {
    const hold = { ...profiles.standard.hold, businessDays: 60 };
    const one = await openSandbox({ profile: { ...profiles.standard, hold } });
    const late = await one.move({ now: "2035-06-01T00:00:00.001Z" });
    expect(refusal(late)).toBe("400 INVALID_REQUEST, /now INVALID_VALUE");
    expect((await one.move({ now: "2035-06-01T00:00:00.000Z" })).status).toBe(200);
    expect(refusal(await one.move({ advance: "P1D" }))).toBe("422 CLOCK_OUT_OF_RANGE");
    const { processing } = one.seeded.payments;
    expect((await one.post(`/sandbox/payments/${processing}/settle`)).status).toBe(200);
    const refund = await one.refund("k", processing);
    expect(refund).toMatchObject({ status: 201, body: { paymentStatus: "PENDING" } });
  });
});

describe("a namespace's clock that moves by 100 days", () => {
  it("[P-AUTH-TOKEN-EXPIRES] dates events, while attempts are signed and tokens expire by real time, to the millisecond", async () => {
    const one = await open();
    const receiver = await openReceiver();
    const token = await one.addNamespace(START);
    await one.subscribe(receiver.url, token);
    await one.move({ advance: "P100D" }, token);
    await one.emit("customer.created", token);
    await receiver.hasArrived(1);
    const { headers = {}, body = Buffer.alloc(0) } = receiver.arrived[0] ?? {};
    expect(Number(headers["webhook-timestamp"])).toBe(clock.now() / 1000);
    const event = JSON.parse(body.toString()) as object;
    expect(event).toMatchObject({ timestamp: "2026-06-10T15:00:00.000Z" });
    const verified = standardWebhooks().verify({ headers, body }, [{ raw: SECRET }], {
      now: clock.now(),
    });
    expect(verified.ok).toBe(true);

    const { clientId: client_id, clientSecret: client_secret } = one.seeded;
    const json = { grant_type: "client_credentials", client_id, client_secret };
    const granted = await one.call("POST", "/v1/tokens", { token: null, json });
    const expiring = String(granted.body["access_token"]);
    await one.move({ advance: "P100D" }, expiring);
    const read = () => one.call("GET", "/sandbox/clock", { token: expiring });
    clock.advance(3_599_999);
    expect((await read()).status).toBe(200);
    clock.advance(1);
    expect(refusal(await read())).toBe("401 UNAUTHENTICATED");
  });

  it("moves neither the deliveries nor the refunds of another namespace", async () => {
    const one = await open();
    const receiver = await openReceiver(500, 204);
    const token = await one.addNamespace(START);
    await one.subscribe(receiver.url);
    await one.refund("k", one.seeded.payments.recent);
    await one.move({ advance: "PT0S" });
    clock.advance(100 * 86_400_000);
    one.sandbox.engine.onWork("anything");
    await one.move({ advance: "P100D" }, token);
    expect(receiver.arrived).toHaveLength(1);
    await one.move({ advance: "P100D" });
    const types = receiver.arrived.map(({ type }) => type);
    expect(types).toEqual(["refund.pending", "refund.pending", "refund.authorized"]);
  });
});
