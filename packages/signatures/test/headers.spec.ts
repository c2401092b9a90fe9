import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, expectTypeOf, it } from "vitest";
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
  const foreign = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`x-${index}`, "v"]),
  );
  const counted = new Proxy(
    { ...foreign, ...genuine },
    {
      get: (target, name) => {
        steps++;
        return Reflect.get(target, name) as unknown;
      },
      getOwnPropertyDescriptor: (target, name) => {
        steps++;
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    },
  );
  expect(judge(counted)).toMatchObject({ ok: true });
  return steps;
}

describe("headers", () => {
  it("are read from a record, from Node's parsed headers and from a Headers", () => {
    expect(judge(genuine)).toMatchObject({ ok: true });
    expect(judge({ ...genuine, "set-cookie": ["a", "b"], host: undefined })).toMatchObject({
      ok: true,
    });
    expect(judge(Object.assign(Object.create(null), genuine))).toMatchObject({ ok: true });
    expect(judge(new Headers(genuine))).toMatchObject({ ok: true });
  });

  it("fit the types of Node, of the Web and of a plain server", () => {
    expectTypeOf<IncomingHttpHeaders>().toExtend<HeadersLike>();
    expectTypeOf<Headers>().toExtend<HeadersLike>();
    expectTypeOf<Record<string, string>>().toExtend<HeadersLike>();
    expectTypeOf<Readonly<Record<string, readonly string[]>>>().toExtend<HeadersLike>();
    expectTypeOf<Map<string, string>>().not.toExtend<HeadersLike>();
  });

  it("are read in any case", () => {
    expect(judge(spell((name) => name.toUpperCase()))).toMatchObject({ ok: true });
    expect(judge(spell((name) => name.replaceAll(/\b\w/g, (c) => c.toUpperCase())))).toMatchObject({
      ok: true,
    });
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
    const odd = {
      get: "a",
      __proto__: null,
      constructor: "b",
      "webhook-ix": "c",
      "webhook-timestamq": "d",
    };

    expect(judge({ ...odd, ...genuine })).toMatchObject({ ok: true });
    expect(judge(JSON.parse(`{"__proto__":"x","toString":"y"}`))).toMatchObject({ ok: false });
  });

  it.each([undefined, null, "webhook-id: 1", 1])("throw a TypeError if they are %j", (headers) => {
    const message = 'invalid "headers": expected a Headers, or a record';
    expect(() => judge(headers)).toThrow(message);
  });
});

describe("reading headers", () => {
  it("looks at each name once and at no foreign value", () => {
    const [small, large] = [work(1_000), work(10_000)];

    // Linear growth has the exponent 1 in log(work) over log(size).
    expect(Math.log10(large / small)).toBeLessThanOrEqual(1.01);
    expect(large - small).toBe(9_000);
  });
});
