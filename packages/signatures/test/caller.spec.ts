import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import {
  bodyHmac,
  describedHmac,
  hmacPresets,
  type SignatureScheme,
  standardWebhooks,
  timestampedHmac,
  xSignature,
} from "../src/index.ts";
import { messageOf, now, signed } from "./attempts.ts";

const secrets = [{ raw: "only-the-two-of-us-know-it" }];
const withId: readonly SignatureScheme[] = [standardWebhooks(), xSignature()];
const timed: readonly SignatureScheme[] = [
  ...withId,
  timestampedHmac({ header: "X-Signature" }),
  describedHmac(hmacPresets.unseparated),
];
const all: readonly SignatureScheme[] = [...timed, bodyHmac({ header: "X-Signature" })];

describe.each(all)("a mistake of the caller of $name", (scheme) => {
  const attempt = signed(scheme, secrets);

  it("is a clock that is no finite number", () => {
    for (const clock of [Number.NaN, Infinity, -Infinity, undefined, "0", new Date()]) {
      const options = { now: clock as number };
      expect(() => scheme.verify(attempt, secrets, options)).toThrow(/"now" must be/);
    }
  });

  it("is a tolerance that bounds nothing", () => {
    for (const tolerance of [-1, 0.5, Number.NaN, Infinity, 2 ** 53, "300", null]) {
      const options = { now, toleranceSeconds: tolerance as number };
      expect(() => scheme.verify(attempt, secrets, options)).toThrow(/"toleranceSeconds" must be/);
    }
  });

  it("is a body that is not the bytes", () => {
    const view = new DataView(new ArrayBuffer(2));
    for (const body of ["{}", {}, null, undefined, [1, 2], view.buffer, view, new Int8Array(2)]) {
      const given = { body: body as Uint8Array };
      const call = () => scheme.verify({ ...attempt, ...given }, secrets, { now });
      expect(call).toThrow(/"body" must be the raw bytes/);
      expect(() => scheme.sign({ ...messageOf(), ...given }, secrets)).toThrow(TypeError);
    }
  });

  it("shows whatever the attempt holds", () => {
    const hopeless = { headers: {}, body: attempt.body };

    expect(() => scheme.verify(hopeless, [], { now })).toThrow(/"secrets"/);
    expect(() => scheme.verify(hopeless, secrets, { now: Number.NaN })).toThrow(/"now"/);
    expect(scheme.verify(hopeless, secrets, { now })).toEqual({
      ok: false,
      code: "CS_SIGNATURE_HEADER_MISSING",
    });
  });
});

describe.each(timed)("a signer that uses $name", (scheme) => {
  it.each([-1, 0.5, Number.NaN, Infinity, 1e12, "1614265330", undefined])(
    "must not sign the timestamp %s",
    (timestamp) => {
      const message = { ...messageOf(), timestamp: timestamp as number };
      expect(() => scheme.sign(message, secrets)).toThrow(/"timestamp" must/);
    },
  );
});

describe.each(withId)("a signer that uses $name", (scheme) => {
  it.each(["", "a.b", "a b", "a\n", "é", "x".repeat(257), undefined, 1])(
    "must not sign the id %j",
    (id) => {
      const message = { ...messageOf(), id: id as string };
      expect(() => scheme.sign(message, secrets)).toThrow(/"id" must be/);
    },
  );
});

describe("bytes", () => {
  it("may come as a Buffer, a part of a larger one, or of another realm", () => {
    const scheme = standardWebhooks();
    const message = messageOf(JSON.stringify({ data: "long enough to be a key as well" }));
    const { headers, body } = signed(scheme, secrets, message);
    const memory = new Uint8Array(body.length + 10).fill(7);
    memory.set(body, 5);
    const views = [
      Buffer.from(body),
      Uint8Array.from(body),
      memory.subarray(5, -5),
      runInNewContext("Uint8Array.from(bytes)", { bytes: body }) as Uint8Array,
    ];

    for (const view of views) {
      expect(scheme.verify({ headers, body: view }, secrets, { now })).toMatchObject({ ok: true });
      expect(scheme.sign({ ...message, body: view }, [{ raw: view }, { raw: body }])).toEqual(
        scheme.sign(message, [{ raw: body }, { raw: body }]),
      );
    }
  });
});
