import { amountCents, type BodyReader, type Outcome } from "@countersign/receiver";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { heldMemory } from "../../../../test/held-memory.ts";
import {
  attemptOf,
  genuine,
  nameOf,
  recordingReceiver,
  refundAttempt,
  refundAuthorized,
} from "../fixtures.ts";

const event = refundAuthorized();
const text = JSON.stringify(event);
const notJson = { kind: "rejected", code: "CS_BODY_NOT_JSON" };

/** The text of a payment's event whose amount is written as given, even if JSON.parse would change it. */
const paymentWith = (amount: string): string =>
  `{"id":"${event.id}","type":"payment.succeeded","category":"PAYMENT",` +
  '"timestamp":"2026-11-24T05:00:00.000Z","data":{"paymentId":"pay_1","direction":"DEBIT",' +
  `"customerId":"cus_1","amount":{"currency":"USD","value":${amount}},"paymentStatus":"SUCCEEDED",` +
  '"clientReferenceId":null,"creationDate":"2026-11-24T05:00:00.000Z","covered":false}}';

/** The outcome of a genuine attempt, whose handler must not run if it is rejected. */
async function outcomeOf(body: string | Uint8Array): Promise<Outcome> {
  const { receiver, handled } = recordingReceiver();
  const outcome = await receiver.receive(attemptOf(body, { id: event.id }));
  expect(handled).toHaveLength(outcome.kind === "rejected" ? 0 : 1);
  return outcome;
}

describe("A13: a genuine body", () => {
  it("[R-VERIFY-TAMPERED] is refused with any byte changed in one bit or in all of them", async () => {
    const { receiver, handled } = recordingReceiver();
    // A decoder would read a byte that is not UTF-8 as U+FFFD, which is signed too.
    const replaced = text.replace("order-7", "order-\uFFFD");
    const { headers, body } = attemptOf(replaced, { id: event.id });
    const changed = Buffer.from(body);
    for (const [position, before] of body.entries()) {
      for (const flip of [1, 2, 4, 8, 16, 32, 64, 128, 255]) {
        changed[position] = before ^ flip;
        expect((await receiver.receive({ headers, body: changed })).kind).toBe("rejected");
      }
      changed[position] = before;
    }
    const at = changed.indexOf("\uFFFD");
    const cut = Buffer.concat([changed.subarray(0, at), Buffer.of(0xff), changed.subarray(at + 3)]);
    for (const other of [cut, Buffer.concat([Buffer.from("\uFEFF"), changed])])
      expect((await receiver.receive({ headers, body: other })).kind).toBe("rejected");
    expect(handled).toEqual([]);
    expect((await receiver.receive({ headers, body: changed })).kind).toBe("handled");
  });

  it("[R-BODY-STRICT] is refused as CS_BODY_NOT_JSON if it is empty, cut, marked or not UTF-8", async () => {
    const garbled = [Buffer.of(0xff), Buffer.of(0xc3, 0x28)];
    const ended = garbled.map((bytes) => Buffer.concat([Buffer.from(text), bytes]));
    for (const body of ["", text.slice(0, -1), `\uFEFF${text}`, ...ended])
      expect(await outcomeOf(body)).toMatchObject(notJson);
  });
});

it("A14: [R-BODY-STRICT] a body is refused if it repeats an amount, the event's id or an unused member, also escaped", async () => {
  for (const body of [
    paymentWith('1,"value":1000000'),
    paymentWith('1,"\\u0076alue":1000000'),
    text.replace('"id"', '"\\u0069\\u0064":"evt_other","id"'),
    text.replace('"data"', '"x":{"y":1,"y":1},"data"'),
  ])
    expect(await outcomeOf(body)).toMatchObject(notJson);
});

describe("A15: names from an object's prototype", () => {
  const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];

  it("[R-ROUTE-PROTOTYPE] find no handler as a type or as a category", async () => {
    for (const type of names) {
      const { receiver, handled } = recordingReceiver();
      const sent = attemptOf({ ...event, type, category: type });
      expect((await receiver.receive(sent)).kind).toBe("unrouted");
      expect(handled).toEqual([`fallback ${event.id}`]);
    }
  });

  it("are refused as members at any depth", async () => {
    for (const name of ["__proto__", "\\u005f_proto__", "constructor", "prototype"])
      for (const sibling of ['"id"', '"paymentId"']) {
        const body = text.replace(sibling, `"${name}":{"polluted":1},${sibling}`);
        expect(await outcomeOf(body)).toMatchObject(notJson);
      }
  });
});

describe("A16: a nested body", () => {
  // The body's own object is the first level.
  const nested = (levels: number): string =>
    text.replace('"data"', `"x":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)},"data"`);

  it("is read to 16 levels and refused from 17 on", async () => {
    expect((await outcomeOf(nested(16))).kind).toBe("handled");
    expect(await outcomeOf(nested(17))).toMatchObject(notJson);
  });

  it("of 500,000 levels is refused, and nothing of it is held", async () => {
    const { receiver } = recordingReceiver();
    const attempts = [nested(500_000), "[".repeat(1_000_000), '{"a":'.repeat(200_000)].map((body) =>
      attemptOf(body, { id: event.id }),
    );
    const before = heldMemory();
    for (const attempt of attempts) expect(await receiver.receive(attempt)).toMatchObject(notJson);
    expect(heldMemory() - before).toBeLessThan(2 ** 20);
  });
});

describe("A17: a number", () => {
  const handled = ["1", "0.1", "0.10", "100.25", "99999999.99"];
  const refused = ["0", "-0", "-1", "0.001", "0.1000000000000000055", "100.00000000000000001"];
  const beyond = ["9007199254740993", "1e308", "1e999", "-1e999", "9007199254740992"];
  const foreign = ["NaN", "Infinity", "01", "1.", ".5", "0x1"];

  it.each([
    ["handled", handled],
    ["rejected", [...refused, ...beyond, ...foreign]],
  ])("[R-EVENT-SCHEMA] is %s as an amount if it is one of %j", async (kind, amounts) => {
    for (const amount of amounts)
      expect([amount, (await outcomeOf(paymentWith(amount))).kind]).toEqual([amount, kind]);
  });

  it("of more digits than an amount of cents is refused with its place", async () => {
    const details = [
      { pointer: "/data/amount/value", message: "has more digits than an amount of cents" },
    ];
    const refusal = { code: "CS_EVENT_SCHEMA", event: { type: "payment.succeeded" }, details };
    expect(await outcomeOf(paymentWith("0.1000000000000000055"))).toMatchObject(refusal);
  });

  it("of a handled event is exact cents with amountCents, and nothing else is an amount", () => {
    const values = [0.01, 0.07, 1.1, 100.25, 99_999_999.99];
    expect(values.map((value) => amountCents({ value }))).toEqual([
      1n,
      7n,
      110n,
      10_025n,
      9_999_999_999n,
    ]);
    for (const value of [0, -1, 0.001, 1e9, Number.NaN])
      expect(() => amountCents({ value })).toThrow(/^invalid amount of cents: CS_AMOUNT_/);
  });

  it("that a double cannot hold passes in an unused member", async () => {
    for (const number of ["1e999", "9007199254740993", "-0", "1E2"])
      expect((await outcomeOf(text.replace('"data"', `"x":${number},"data"`))).kind).toBe(
        "handled",
      );
  });
});

describe("a body that arrives in chunks", () => {
  it("is not copied if it is one chunk, and else for each doubling of its room", async () => {
    const { receiver } = recordingReceiver();
    await receiver.receive({
      headers: genuine.headers,
      body: (body) => {
        const chunk = Uint8Array.of(0);
        for (let sent = 0; sent < 8; sent += 1) {
          body.push(chunk);
          expect(body.all().buffer === chunk.buffer).toBe(sent === 0);
        }
        return Promise.resolve(body.all());
      },
    });
  });

  it("[R-BODY-SIZE] is refused with the first byte above limits.bodyBytes, also if a framework has read it", async () => {
    const size = genuine.body.length;
    const pushed: BodyReader = async (body) => {
      const errors = [...genuine.body].map((byte) => body.push(Uint8Array.of(byte)));
      const error = errors.find((one) => one !== undefined);
      return error === undefined ? body.all() : { error };
    };
    for (const body of [pushed, genuine.body])
      for (const [bodyBytes, name] of [
        [size, "handled"],
        [size - 1, "CS_BODY_TOO_LARGE"],
      ] as const) {
        const { receiver } = recordingReceiver({ limits: { bodyBytes } });
        expect(nameOf(await receiver.receive({ headers: genuine.headers, body }))).toBe(name);
      }
  });
});

describe("limits.bytesInFlight", () => {
  it("[R-BODY-SIZE] refuses a body for which no room is left until others end or their time has passed", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { receiver } = recordingReceiver({ limits: { bodyBytes: 600, bytesInFlight: 1200 } });
    const hold = async (): Promise<string> => {
      const body: BodyReader = (incoming) =>
        new Promise((resolve) => {
          incoming.onRefused = (error) => resolve({ error });
          incoming.push(new Uint8Array(500));
        });
      return nameOf(await receiver.receive({ headers: genuine.headers, body }));
    };
    const send = async (id: string, bytes: number): Promise<string> => {
      const body = JSON.stringify(refundAuthorized(id)).padEnd(bytes);
      return nameOf(await receiver.receive(attemptOf(body, { id })));
    };
    const strangers = [hold(), hold()];
    expect(await send("evt_1", 201)).toBe("CS_RECEIVER_BUSY");
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await Promise.all(strangers)).toEqual(["CS_BODY_TIMEOUT", "CS_BODY_TIMEOUT"]);
    expect(await send("evt_1", 600)).toBe("handled");
  });

  it("counts the bodies of waiting attempts, also after limits.bodyMs, and frees them with their answers", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const size = refundAttempt("evt_1").body.length;
    const { receiver } = recordingReceiver({
      limits: {
        bodyBytes: 2 * size,
        bytesInFlight: 2 * size,
        bodyMs: 12_000,
        concurrentHandlers: 1,
      },
    });
    const gate = Promise.withResolvers<void>();
    receiver.on("refund.authorized", () => gate.promise);
    const send = async (id: string) => nameOf(await receiver.receive(refundAttempt(id)));
    const [first, second] = [send("evt_1"), send("evt_2")];
    await vi.advanceTimersByTimeAsync(13_000);
    expect(await send("evt_3")).toBe("CS_RECEIVER_BUSY");
    gate.resolve();
    expect(await Promise.all([first, second])).toEqual(["handled", "handled"]);
    expect(await send("evt_3")).toBe("handled");
  });
});
