import { type Outcome } from "@countersign/receiver";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { changeBytes } from "./change-bytes.ts";
import { paymentWith } from "./payment.ts";

const event = refundAuthorized();
const text = JSON.stringify(event);

async function outcomeOf(body: string | Uint8Array, id = event.id): Promise<Outcome> {
  const { receiver, handled } = recordingReceiver();
  const outcome = await receiver.receive(attemptOf(body, { id }));
  expect(handled).toHaveLength(outcome.kind === "rejected" ? 0 : 1);
  return outcome;
}

const refusedAs = (code: string): object => ({ kind: "rejected", code });

describe("A13: bytes that a decoder would make alike", () => {
  it("are different bodies: no byte can be changed in one bit, or in all of them", async () => {
    const flips = [1, 2, 4, 8, 16, 32, 64, 128, 255];
    const { bytes, attempts, accepted } = await changeBytes(flips);
    expect(accepted).toEqual([]);
    expect(attempts).toBe(bytes * flips.length);
  });

  it("are no other bodies' signatures: U+FFFD does not stand for a byte that is no UTF-8", async () => {
    const { receiver } = recordingReceiver();
    const { headers, body } = attemptOf(text.replace("order-7", "order-\uFFFD"), { id: event.id });
    const at = Buffer.from(body).indexOf("\uFFFD");
    const broken = Buffer.concat([body.slice(0, at), Buffer.of(0xff), body.slice(at + 3)]);

    expect((await receiver.receive({ headers, body: broken })).kind).toBe("rejected");
    expect((await receiver.receive({ headers, body })).kind).toBe("handled");
  });

  it("are refused where they are signed: no UTF-8, and a byte order mark", async () => {
    const broken = Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.of(0xc3, 0x28)]);
    expect(await outcomeOf(broken)).toMatchObject(refusedAs("CS_BODY_NOT_JSON"));
    expect(await outcomeOf(`\uFEFF${text}`)).toMatchObject(refusedAs("CS_BODY_NOT_JSON"));
    const { receiver } = recordingReceiver();
    const { headers, body } = attemptOf(event);
    const marked = Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), body]);
    expect((await receiver.receive({ headers, body: marked })).kind).toBe("rejected");
  });
});

describe("A14: a member that stands twice", () => {
  it.each([
    ["an amount", paymentWith('1,"value":1000000')],
    ["an amount in another spelling", paymentWith('1,"\\u0076alue":1000000')],
    ["the event's id", text.replace('"id"', '"id":"evt_other","id"')],
    ["the event's id, escaped", text.replace('"id"', '"\\u0069\\u0064":"evt_other","id"')],
    ["something that nobody reads", text.replace('"data"', '"x":{"y":1,"y":1},"data"')],
  ])("is refused: %s", async (_what, body) => {
    const id = body.includes("evt_payment1") ? "evt_payment1" : event.id;
    expect(await outcomeOf(body, id)).toMatchObject(refusedAs("CS_BODY_NOT_JSON"));
  });
});

describe("A15: names from an object's prototype", () => {
  const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];

  it.each(names)("[R-ROUTE-PROTOTYPE] are no event types with a handler: %s", async (type) => {
    const { receiver, handled } = recordingReceiver();
    const outcome = await receiver.receive(attemptOf({ ...event, type }));
    expect(outcome.kind).toBe("unrouted");
    expect(handled).toEqual([`fallback ${event.id}`]);
  });

  it.each(["__proto__", "\\u005f_proto__", "constructor", "prototype"])(
    "are no members at any depth: %s",
    async (name) => {
      const member = `"${name}":{"polluted":1}`;
      for (const body of [
        text.replace('"id"', `${member},"id"`),
        text.replace('"paymentId"', `${member},"paymentId"`),
      ])
        expect(await outcomeOf(body)).toMatchObject(refusedAs("CS_BODY_NOT_JSON"));
    },
  );

  it("never reach a prototype, however a body mixes them", async () => {
    const { receiver } = recordingReceiver();
    const name = fc.constantFrom(...names, "polluted", "data", "x");
    const { json } = fc.letrec<{ json: string }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("1", '"polluted"', "null"),
        fc
          .array(fc.tuple(name, tie("json")), { maxLength: 3 })
          .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join(",")}}`),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(json, name, async (value, type) => {
        const body = `{"id":"evt_x","type":"${type}","timestamp":"t","data":${value}}`;
        await receiver.receive(attemptOf(body, { id: "evt_x" }));
        expect(Reflect.get({}, "polluted")).toBeUndefined();
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe("A16: deep nesting", () => {
  // The body's own object is the first level.
  const nested = (levels: number): string =>
    text.replace('"data"', `"x":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)},"data"`);

  it("is read to 16 levels and refused from 17 on", async () => {
    expect((await outcomeOf(nested(15))).kind).toBe("handled");
    expect((await outcomeOf(nested(16))).kind).toBe("handled");
    expect(await outcomeOf(nested(17))).toMatchObject(refusedAs("CS_BODY_NOT_JSON"));
  });

  it("of 500,000 levels is refused without building anything of it", async () => {
    const { receiver } = recordingReceiver();
    const attempts = [nested(500_000), "[".repeat(1_000_000), '{"a":'.repeat(200_000)].map((body) =>
      attemptOf(body, { id: event.id }),
    );
    const before = process.memoryUsage().rss;
    for (const attempt of attempts)
      expect(await receiver.receive(attempt)).toMatchObject(refusedAs("CS_BODY_NOT_JSON"));

    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 2 ** 20);
  });
});

describe("A17: numbers that a double cannot hold", () => {
  it.each([
    ["1", "handled"],
    ["0.1", "handled"],
    ["0.10", "handled"],
    ["100.25", "handled"],
    ["99999999.99", "handled"],
    ["0", "rejected"],
    ["-0", "rejected"],
    ["-1", "rejected"],
    ["0.001", "rejected"],
    ["100.00000000000000001", "rejected"],
    ["9007199254740992", "rejected"],
    ["9007199254740993", "rejected"],
    ["1e308", "rejected"],
    ["1e999", "rejected"],
    ["-1e999", "rejected"],
    ["NaN", "rejected"],
    ["Infinity", "rejected"],
    ["01", "rejected"],
    ["1.", "rejected"],
    [".5", "rejected"],
    ["0x1", "rejected"],
  ])("an amount of %s is %s", async (value, kind) => {
    expect((await outcomeOf(paymentWith(value), "evt_payment1")).kind).toBe(kind);
  });

  it("pass where nobody reads them, and do not end the process", async () => {
    for (const number of ["1e999", "9007199254740993", "-0", "1E2"])
      expect((await outcomeOf(text.replace('"data"', `"x":${number},"data"`))).kind).toBe(
        "handled",
      );
  });
});
