import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type HeadersLike, standardWebhooks } from "../src/index.ts";
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

  it.each(Object.keys(genuine))("are refused without %s", (name) => {
    const without = Object.fromEntries(Object.entries(genuine).filter(([key]) => key !== name));

    expect(judge(without)).toEqual({
      ok: false,
      code: "CS_SIGNATURE_HEADER_MISSING",
      facts: { header: name },
    });
    expect(judge({ ...genuine, [name]: undefined })).toMatchObject({
      code: "CS_SIGNATURE_HEADER_MISSING",
    });
    expect(judge(new Headers(without))).toMatchObject({ code: "CS_SIGNATURE_HEADER_MISSING" });
  });

  it.each(Object.keys(genuine))("are refused where %s came twice", (name) => {
    const value = String(genuine[name]);
    const twice = { code: "CS_SIGNATURE_HEADER_DUPLICATE", facts: { header: name } };

    expect(judge({ ...genuine, [name]: [value, value] })).toMatchObject(twice);
    expect(judge({ ...genuine, [name]: [value] })).toMatchObject(twice);
    expect(judge({ ...genuine, [name.toUpperCase()]: value })).toMatchObject(twice);
    expect(judge({ [name.toUpperCase()]: value, ...genuine })).toMatchObject(twice);
    // Joined by Node or the Web: a list of neither ids nor times is in the grammar.
    const joined = new Headers(genuine);
    joined.append(name, value);
    expect(judge(joined).ok).toBe(false);
  });

  it("are not read from another spelling without a value", () => {
    expect(judge({ ...genuine, "WEBHOOK-ID": undefined })).toMatchObject({ ok: true });
  });

  it.each(Object.keys(genuine))("are refused where %s is no text", (name) => {
    for (const value of [1, null, true, {}, Symbol("x")]) {
      expect(judge({ ...genuine, [name]: value })).toMatchObject({
        ok: false,
        code: "CS_SIGNATURE_HEADER_INVALID",
      });
    }
  });

  it.each(Object.keys(genuine))("are refused where %s is longer than 4,096 characters", (name) => {
    expect(judge({ ...genuine, [name]: "1".repeat(4097) })).toMatchObject({
      ok: false,
      code: "CS_SIGNATURE_HEADER_TOO_LONG",
    });
    expect(judge({ ...genuine, [name]: "1".repeat(4096) })).not.toMatchObject({
      code: "CS_SIGNATURE_HEADER_TOO_LONG",
    });
  });

  it("are their owner's alone: a polluted prototype adds none", () => {
    const polluted = Object.create(genuine) as Record<string, string>;

    expect(judge(polluted)).toMatchObject({ ok: false, code: "CS_SIGNATURE_HEADER_MISSING" });
  });

  it("may carry any other name, however it is called", () => {
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

  it.each([undefined, null, "webhook-id: 1", 1])("as %j are a mistake of the caller", (headers) => {
    expect(() => judge(headers)).toThrow(TypeError);
    expect(() => judge(headers)).toThrow('invalid "headers": expected a Headers, or a record');
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
