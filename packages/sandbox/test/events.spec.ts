import { standardCatalogue } from "@countersign/schemas";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { openReceiver, openSandbox, refusal, type Body } from "./open-sandbox.ts";
import { SOON } from "./soon.ts";

describe("an event that is emitted", () => {
  it("is what its schema says, for every type of the catalogue", async () => {
    const one = await openSandbox();
    const receiver = await openReceiver();
    await one.subscribe(receiver.url);
    const types = Object.keys(standardCatalogue.events);
    for (const type of types) {
      expect((await one.call("POST", "/sandbox/events", { json: { type } })).status).toBe(201);
    }
    await expect.poll(() => receiver.arrived.length, SOON).toBe(types.length);
    for (const { type, body } of receiver.arrived) {
      const { validate } = standardCatalogue.events[type as keyof typeof standardCatalogue.events];
      expect(validate(JSON.parse(body.toString()))).toMatchObject({ ok: true });
    }
    expect(new Set(receiver.arrived.map(({ type }) => type))).toEqual(new Set(types));
  });

  it("carries the data that was sent, its numbers digit for digit", async () => {
    const one = await openSandbox();
    const receiver = await openReceiver();
    await one.subscribe(receiver.url);
    const data =
      '{"paymentId":"pay_1","amount":{"currency":"USD","value":10.50},"list":[1.0,{"a/b":2e0}]}';
    const text = `{"type":"payment.created","data":${data}}`;
    const emitted = await one.call("POST", "/sandbox/events", { text });
    expect(emitted.body["payload"]).toContain(`"data":${data}`);
    await expect.poll(() => receiver.arrived.length, SOON).toBe(1);
    expect(receiver.arrived[0]?.body.toString()).toBe(emitted.body["payload"]);
    const [listed] = (await one.list("/sandbox/events")).filter(
      ({ id }) => id === emitted.body["id"],
    );
    expect(listed).toEqual(emitted.body);
  });

  it.each([
    [{ type: "payment.unheard" }, "UNKNOWN_EVENT", { "/type": "UNKNOWN_EVENT" }],
    [{}, "INVALID_REQUEST", { "/type": "MISSING_MEMBER" }],
    [{ type: "payment.created", data: [] }, "INVALID_REQUEST", { "/data": "INVALID_VALUE" }],
    [{ type: "toString" }, "UNKNOWN_EVENT", { "/type": "UNKNOWN_EVENT" }],
  ])("is refused as %j", async (json, code, members) => {
    const one = await openSandbox();
    expect(refusal(await one.call("POST", "/sandbox/events", { json }))).toEqual({
      status: 400,
      code,
      members,
    });
  });

  it("has the names and the form of the profile", async () => {
    const one = await openSandbox({ profile: profiles["x-signature"] });
    const receiver = await openReceiver();
    await one.subscribe(receiver.url);
    for (const { type } of profiles["x-signature"].catalogue) {
      expect((await one.call("POST", "/sandbox/events", { json: { type } })).status).toBe(201);
    }
    await expect
      .poll(() => receiver.arrived.length, SOON)
      .toBe(profiles["x-signature"].catalogue.length);
    const [first] = receiver.arrived;
    expect(JSON.parse(first?.body.toString() ?? "")).toMatchObject({
      eventType: "payment.created",
    });
    expect(first?.headers).toHaveProperty("x-signature");
  });

  it("is listed newest first, as many as are asked for", async () => {
    const one = await openSandbox();
    const token = await one.addNamespace();
    for (const advance of ["PT1S", "PT1S", "PT1S"]) {
      await one.call("POST", "/sandbox/events", { token, json: { type: "customer.created" } });
      await one.call("PUT", "/sandbox/clock", { token, json: { advance } });
    }
    const { body } = await one.call("GET", "/sandbox/events?limit=2", { token });
    const times = (body["events"] as Body[]).map(({ timestamp }) => String(timestamp));
    expect(times).toHaveLength(2);
    expect(times.toSorted().toReversed()).toEqual(times);
    for (const limit of ["0", "1001", "x", "-1", "1.5", ""]) {
      const answer = await one.call("GET", `/sandbox/events?limit=${limit}`, { token });
      expect([limit, refusal(answer)]).toEqual([
        limit,
        { status: 400, code: "INVALID_REQUEST", members: { "/limit": "INVALID_VALUE" } },
      ]);
    }
  });
});
