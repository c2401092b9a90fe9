import { describe, expect, it } from "vitest";
import { type HeadersLike, type SignatureErrorCode, standardWebhooks } from "../src/index.ts";
import { now, SECRET, signed } from "./attempts.ts";

const scheme = standardWebhooks();
const { headers: genuine, body } = signed(scheme, [SECRET]);

function judge(headers: unknown) {
  return scheme.verify({ headers: headers as HeadersLike, body }, [SECRET], { now });
}

function spell(change: (name: string) => string) {
  return Object.fromEntries(Object.entries(genuine).map(([name, value]) => [change(name), value]));
}

/** The steps that reading takes among so many foreign headers. */
function work(count: number): number {
  let steps = 0;
  const foreign = Array.from({ length: count }, (_, index) => [`x-${index}`, "v"] as const);
  const counted = new Proxy<Record<string, string>>(
    { ...Object.fromEntries(foreign), ...genuine },
    {
      get: (...given) => (steps++, Reflect.get(...given) as unknown),
      getOwnPropertyDescriptor: (...given) => (steps++, Reflect.getOwnPropertyDescriptor(...given)),
    },
  );
  expect(judge(counted)).toMatchObject({ ok: true });
  return steps;
}

describe("headers", () => {
  it("are read from a record, from Node's parsed headers and from a Headers, in any case", () => {
    for (const headers of [
      genuine,
      { ...genuine, "set-cookie": ["a", "b"], host: undefined },
      Object.assign(Object.create(null), genuine),
      new Headers(genuine),
      spell((name) => name.toUpperCase()),
      spell((name) => name.replaceAll(/\b\w/g, (c) => c.toUpperCase())),
    ])
      expect(judge(headers)).toMatchObject({ ok: true });
  });

  it.each(Object.keys(genuine))(
    "are refused if %s is missing, repeated, no text or long",
    (name) => {
      const value = String(genuine[name]);
      const without = Object.fromEntries(Object.entries(genuine).filter(([key]) => key !== name));
      const upper = name.toUpperCase();
      const joined = new Headers(genuine);
      joined.append(name, value);
      const cases: Partial<Record<SignatureErrorCode, readonly unknown[]>> = {
        CS_SIGNATURE_HEADER_MISSING: [
          without,
          { ...genuine, [name]: undefined },
          new Headers(without),
          // A polluted prototype adds none.
          Object.assign(Object.create(genuine) as object, without),
        ],
        CS_SIGNATURE_HEADER_DUPLICATE: [
          { ...genuine, [name]: [value, value] },
          { ...genuine, [name]: [value] },
          { ...genuine, [upper]: value },
          { [upper]: value, ...genuine },
        ],
        CS_SIGNATURE_HEADER_INVALID: [1, null, true, {}, Symbol("x")].map((one) => ({
          ...genuine,
          [name]: one,
        })),
        CS_SIGNATURE_HEADER_TOO_LONG: [{ ...genuine, [name]: "1".repeat(4097) }],
      };
      for (const [code, given] of Object.entries(cases))
        for (const one of given)
          expect(judge(one)).toEqual({ ok: false, code, facts: { header: name } });
      // Joined by Node or the Web: the grammar of ids and times has no lists.
      expect(judge(joined).ok).toBe(false);
      expect(judge({ ...genuine, [name]: "1".repeat(4096) })).not.toMatchObject({
        code: "CS_SIGNATURE_HEADER_TOO_LONG",
      });
      expect(judge({ ...genuine, [upper]: undefined })).toMatchObject({ ok: true });
    },
  );

  it("can include any other name", () => {
    const near = { "webhook-ix": "c", "webhook-timestamq": "d" };
    const odd = { get: "a", __proto__: null, constructor: "b", ...near };

    expect(judge({ ...odd, ...genuine })).toMatchObject({ ok: true });
    expect(judge(JSON.parse(`{"__proto__":"x","toString":"y"}`))).toMatchObject({ ok: false });
  });

  it("throw a TypeError if they are not an object", () => {
    for (const headers of [undefined, null, "webhook-id: 1", 1])
      expect(() => judge(headers)).toThrow('invalid "headers": expected a Headers, or a record');
  });

  it("are each looked at once by their names, without a foreign value", () => {
    const [small, large] = [work(1_000), work(10_000)];

    // Linear growth has the exponent 1 in log(work) over log(size).
    expect(Math.log10(large / small)).toBeLessThanOrEqual(1.01);
    expect(large - small).toBe(9_000);
  });
});
