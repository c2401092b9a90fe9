import { readdirSync, readFileSync } from "node:fs";
import * as crypto from "node:crypto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  attemptOf,
  NOON,
  otherSecret,
  recordingReceiver,
  refundAuthorized,
  secret,
} from "../fixtures.ts";
import { attemptWith, keyOf, signatureBy } from "./forge.ts";

// Counts the cryptography: what an attempt costs, not how long it takes.
vi.mock("node:crypto", async (original) => {
  const real = await original<typeof crypto>();
  return {
    ...real,
    createHmac: vi.fn<typeof crypto.createHmac>(real.createHmac),
    timingSafeEqual: vi.fn<typeof crypto.timingSafeEqual>(real.timingSafeEqual),
  };
});

beforeEach(() => vi.clearAllMocks());

const event = refundAuthorized();
const body = Buffer.from(JSON.stringify(event));
const timestamp = String(NOON / 1000);
const genuine = signatureBy(keyOf(secret), { id: event.id, timestamp, body });
const v1 = (bytes: Uint8Array): string => `v1,${Buffer.from(bytes).toString("base64")}`;

/** The HMACs and comparisons that the receiver makes of one signature header, and its verdict. */
async function costOf(signature: string, secrets: readonly string[] = [secret]) {
  const { receiver } = recordingReceiver({ secrets });
  vi.clearAllMocks();
  const { kind } = await receiver.receive(attemptWith(signature, { body }));
  const compared = vi.mocked(crypto.timingSafeEqual).mock.calls;
  return {
    kind,
    hmacs: vi.mocked(crypto.createHmac).mock.calls.length,
    compared: compared.map(([left, right]) => [left.byteLength, right.byteLength]),
  };
}

describe("A1: a timing oracle on the digest", () => {
  it("[R-VERIFY-CONSTANT-TIME] does not exist: the first and the last wrong byte cost the same whole comparison", async () => {
    const wrongAt = (index: number): string => {
      const bytes = Buffer.from(genuine);
      bytes[index] = (bytes[index] ?? 0) ^ 1;
      return v1(bytes);
    };
    const refused = { kind: "rejected", hmacs: 1, compared: [[32, 32]] };

    for (let index = 0; index < 32; index += 1)
      expect(await costOf(wrongAt(index))).toEqual(refused);
    expect(await costOf(v1(genuine))).toEqual({ ...refused, kind: "handled" });
  });

  it("[R-VERIFY-EACH] does not say which secret or candidate matches: all of them are compared", async () => {
    const decoy = v1(Buffer.alloc(32));
    for (const header of [`${v1(genuine)} ${decoy} ${decoy}`, `${decoy} ${decoy} ${v1(genuine)}`])
      for (const secrets of [
        [secret, otherSecret],
        [otherSecret, secret],
      ])
        expect(await costOf(header, secrets)).toEqual({
          kind: "handled",
          hmacs: 2,
          compared: Array.from({ length: 6 }, () => [32, 32]),
        });
  });

  it("cannot come back unseen: the sources take no HMAC and compare no signature", () => {
    const folder = new URL("../../src/", import.meta.url);
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => ({ name, text: readFileSync(new URL(name, folder), "utf8") }));

    const holding = (pattern: RegExp): string[] =>
      sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name);
    expect(sources.length).toBeGreaterThan(20);
    expect(holding(/createHmac|timingSafeEqual|subtle/)).toEqual([]);
    expect(holding(/signature"?\]?\)?\s*[!=]==?|\.equals\(|\.compare\(/)).toEqual([]);
  });
});

describe("A2: a signature of another length", () => {
  const lengths = Array.from({ length: 129 }, (_, length) => length);
  const bytes = (length: number): Buffer => Buffer.alloc(length, genuine);

  it.each(["base64", "hex", "base64url"] as const)(
    "is a plain 401 from 0 to 128 bytes in %s, never an exception",
    async (encoding) => {
      const { receiver, handled, outcomes } = recordingReceiver();
      for (const length of lengths.filter((one) => encoding !== "base64" || one !== 32)) {
        const header = `v1,${bytes(length).toString(encoding)}`;
        const { response } = await receiver.answer(attemptWith(header, { body }));
        expect(response.status).toBe(401);
      }
      expect(handled).toEqual([]);
      expect(outcomes.every(({ kind }) => kind === "rejected")).toBe(true);
    },
  );

  it("is refused as a prefix and as an extension of the genuine one", async () => {
    const { receiver } = recordingReceiver();
    const text = v1(genuine);
    for (let end = 3; end < text.length; end += 1)
      expect((await receiver.receive(attemptWith(text.slice(0, end), { body }))).kind).toBe(
        "rejected",
      );
    expect((await receiver.receive(attemptWith(`${text}=`, { body }))).kind).toBe("rejected");
    expect((await receiver.receive(attemptWith(text, { body }))).kind).toBe("handled");
  });
});

describe("A4: thousands of signatures", () => {
  it("are refused before any cryptography, also with the genuine one among them", async () => {
    const many = Array<string>(100_000).fill(v1(Buffer.alloc(32)));
    const nothing = { kind: "rejected", hmacs: 0, compared: [] };

    expect(await costOf([v1(genuine), ...many].join(" "))).toEqual(nothing);
    expect(await costOf([v1(genuine), ...many.slice(0, 8)].join(" "))).toEqual(nothing);
    expect((await costOf([...many.slice(0, 7), v1(genuine)].join(" "))).kind).toBe("handled");
  });
});

describe("A9: one signed text, split at other full stops", () => {
  it("is accepted at the one place where it was signed, and at no other", async () => {
    // At its second place it would be the attempt of an id with full stops and a body that is JSON.
    const text = `x.${timestamp}.{"id":"${event.id}","note":"a.${timestamp}.b","x":1.5,"y":"..."}`;
    const signed = `${event.id}.${timestamp}.${text}`;
    const signature = v1(crypto.createHmac("sha256", keyOf(secret)).update(signed).digest());
    const { receiver } = recordingReceiver();
    const stops = Array.from(signed.matchAll(/\./g), ({ index }) => index);
    const passed: [number, number][] = [];
    for (const first of stops)
      for (const second of stops.filter((stop) => stop > first)) {
        const [id, at] = [signed.slice(0, first), signed.slice(first + 1, second)];
        const rest = Buffer.from(signed.slice(second + 1));
        const { response } = await receiver.answer(
          attemptWith(signature, { id, timestamp: at, body: rest }),
        );
        if (response.status !== 401) passed.push([first, second]);
      }

    expect(stops.length).toBeGreaterThan(8);
    expect(passed).toEqual([[event.id.length, event.id.length + 1 + timestamp.length]]);
  });

  it("is refused with an id or a timestamp that holds a full stop, however it is signed", async () => {
    const { receiver } = recordingReceiver();
    for (const [id, at] of [
      ["evt.1", timestamp],
      ["evt_1", `${timestamp}.0`],
      ["evt_1", ""],
    ] as const) {
      const signature = v1(signatureBy(keyOf(secret), { id, timestamp: at, body }));
      const attempt = attemptWith(signature, { id, timestamp: at, body });
      expect((await receiver.answer(attempt)).response.status).toBe(401);
    }
    expect((await receiver.receive(attemptOf(event))).kind).toBe("handled");
  });
});
