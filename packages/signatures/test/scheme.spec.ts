import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { type Secret, schemeOf, type SignatureScheme, standardWebhooks } from "../src/index.ts";
import { documentOf } from "./provider-files.ts";
import { messageOf, now, OTHER_SECRET, PUBLIC_KEY, SECRET, signed } from "./attempts.ts";

const secrets = [{ raw: "only-the-two-of-us-know-it" }];
const schemes = (...names: readonly string[]): readonly SignatureScheme[] =>
  names.map((name) => schemeOf(documentOf(name)));
const withId = schemes("standard-webhooks", "reference", "x-signature");
const timed = [...withId, ...schemes("stripe", "paddle")];
const all = [...timed, ...schemes("github", "line")];

describe.each(all)("the caller of $name", (scheme) => {
  const attempt = signed(scheme, secrets);
  const verify =
    (given: object, options: object = {}, keys: readonly Secret[] = secrets) =>
    () =>
      scheme.verify({ ...attempt, ...given }, keys, { now, ...options });

  it("gets a TypeError for a mistake in a clock, a tolerance or a body", () => {
    for (const clock of [Number.NaN, Infinity, -Infinity, undefined, "0", new Date()])
      expect(verify({}, { now: clock })).toThrow(/^invalid "now"/);
    for (const toleranceSeconds of [-1, 0.5, Number.NaN, Infinity, 2 ** 53, "300", null])
      expect(verify({}, { toleranceSeconds })).toThrow(/"toleranceSeconds"/);
    const view = new DataView(new ArrayBuffer(2));
    for (const body of ["{}", {}, null, undefined, [1, 2], view.buffer, view, new Int8Array(2)]) {
      expect(verify({ body })).toThrow(/^invalid "body": expected the raw bytes/);
      const message = { ...messageOf(), body: body as Uint8Array };
      expect(() => scheme.sign(message, secrets)).toThrow(TypeError);
    }
  });

  it("gets a TypeError for its own mistakes before the attempt is judged", () => {
    const hopeless = { headers: {} };

    expect(verify(hopeless, {}, [])).toThrow(/"secrets"/);
    expect(verify(hopeless, { now: Number.NaN })).toThrow(/"now"/);
    expect(verify(hopeless)()).toMatchObject({ code: "CS_SIGNATURE_HEADER_MISSING" });
  });

  it("has early headers accepted by checkHeaders, whatever the secret and the age", () => {
    const old = signed(scheme, secrets, { ...messageOf(), timestamp: 1_000_000_000 });

    const checked = scheme.checkHeaders(old.headers);
    expect(checked.ok).toBe(true);
    expect(scheme.checkHeaders(new Headers(old.headers))).toEqual(checked);
    expect(() => scheme.checkHeaders(null as never)).toThrow(TypeError);
  });

  it("gets a TypeError if it signs an id or a timestamp that cannot be verified", () => {
    const times = [-1, 0.5, Number.NaN, Infinity, 1e12, "1614265330", undefined];
    const ids = ["", "a.b", "a b", "a\n", "é", "x".repeat(257), undefined, 1];
    const mistakes = [
      ...(timed.includes(scheme) ? times.map((timestamp) => ({ timestamp })) : []),
      ...(withId.includes(scheme) ? ids.map((id) => ({ id })) : []),
    ];
    for (const mistake of mistakes)
      // As plain JavaScript may pass it.
      expect(() => scheme.sign({ ...messageOf(), ...(mistake as object) }, secrets)).toThrow(
        /^invalid "(?:timestamp|id)": /,
      );
  });
});

describe("the bytes of a body or a key", () => {
  it("can be a Buffer, part of a larger one, or from another realm", () => {
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

describe("the facts of a refusal", () => {
  const scheme = standardWebhooks();

  it("name the fingerprints of the secrets that did not match, in their order", () => {
    const given = [OTHER_SECRET, PUBLIC_KEY];
    const expected = scheme.check(given, "verify").map(({ fingerprint }) => fingerprint);

    expect(scheme.verify(signed(scheme, [SECRET]), given, { now })).toEqual({
      ok: false,
      code: "CS_SIGNATURE_MISMATCH",
      facts: { fingerprints: expected },
    });
  });

  it("give the clock difference in seconds, but only after a genuine signature", () => {
    const early = signed(scheme, [SECRET]);
    const judge = (clock: number, secret: string) =>
      scheme.verify(early, [secret], { now: now + clock * 1000 });

    expect(judge(400, SECRET)).toMatchObject({ facts: { clockDifferenceSeconds: -400 } });
    expect(judge(-301, SECRET)).toMatchObject({ facts: { clockDifferenceSeconds: 301 } });
    expect(judge(400, OTHER_SECRET)).not.toHaveProperty("facts.clockDifferenceSeconds");
  });
});
