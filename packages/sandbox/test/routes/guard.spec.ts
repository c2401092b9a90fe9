import { describe, expect, it } from "vitest";
import { openSandbox, refusal, type CallOptions, type TestSandbox } from "../open-sandbox.ts";
import { fullNamespace, rowsOf, type FullNamespace } from "./full-namespace.ts";
import { routesOf } from "./routes-of.ts";

/** Every call to the controls, with ids of the caller's own: none is refused for what it names. */
function controlCalls(one: TestSandbox, own: FullNamespace): { method: string; path: string }[] {
  // The names in the routes are those of the namespace.
  const ids = own as unknown as Readonly<Record<string, string>>;
  return routesOf(one.sandbox)
    .filter((route) => route.includes(" /sandbox/"))
    .map((route) => {
      const [method = "", path = ""] = route.split(" ");
      return { method, path: path.replace(/:(\w+)/, (_, name: string) => ids[name] ?? "") };
    });
}

const BODY = { text: "{}", headers: { "content-type": "text/plain" } };

describe("C2 C3 C4 every call to the controls", () => {
  const wrong: [what: string, sent: CallOptions, status: number, code: string][] = [
    ["a foreign Host", { headers: { host: "evil.test" } }, 403, "FOREIGN_HOST"],
    ["a foreign Origin", { headers: { origin: "https://evil.test" } }, 403, "FOREIGN_ORIGIN"],
    ["the Origin null", { headers: { origin: "null" } }, 403, "FOREIGN_ORIGIN"],
    [
      "a page of another site",
      { headers: { "sec-fetch-site": "cross-site" } },
      403,
      "FOREIGN_ORIGIN",
    ],
    ["no token", { token: null }, 401, "UNAUTHENTICATED"],
    ["a token that nobody has", { token: "x".repeat(40) }, 401, "UNAUTHENTICATED"],
  ];

  it.each(wrong)("with %s is refused and does nothing", async (_, sent, status, code) => {
    const one = await openSandbox();
    const own = await fullNamespace(one);
    const before = await rowsOf(one, own.merchantId);
    const calls = controlCalls(one, own);
    expect(calls.length).toBeGreaterThan(20);
    for (const { method, path } of calls) {
      const answer = await one.call(method, path, { token: own.token, ...sent });
      expect([path, refusal(answer)]).toEqual([path, { status, code }]);
    }
    expect(await rowsOf(one, own.merchantId)).toEqual(before);
  });

  it("with a body that is no JSON by its media type is refused and does nothing", async () => {
    const one = await openSandbox();
    const own = await fullNamespace(one);
    const before = await rowsOf(one, own.merchantId);
    for (const { method, path } of controlCalls(one, own)) {
      if (method === "GET") continue;
      const answer = await one.call(method, path, { token: own.token, ...BODY });
      const unsupported = { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" };
      expect([path, refusal(answer)]).toEqual([path, unsupported]);
    }
    expect(await rowsOf(one, own.merchantId)).toEqual(before);
  });

  it("carries no header that would let another site's page read its answer", async () => {
    const one = await openSandbox();
    const own = await fullNamespace(one);
    for (const { method, path } of controlCalls(one, own)) {
      if (path === "/sandbox/stream") continue;
      const { headers } = await one.call(method, path, { token: own.token });
      const cors = Object.keys(headers).filter((name) => name.startsWith("access-control-"));
      expect([path, cors]).toEqual([path, []]);
    }
  });
});
