import net from "node:net";
import { describe, expect, it } from "vitest";
import {
  openSandbox,
  shareSandbox,
  refusal,
  type CallOptions,
  type TestSandbox,
} from "./open-sandbox.ts";
import { fullNamespace, routesOf, rowsOf, type FullNamespace } from "./routes.ts";

const open = shareSandbox();

/** The status of an answer to a request with these very headers. */
function raw(
  { sandbox, token }: TestSandbox,
  path: string,
  headers: readonly string[],
): Promise<number> {
  const all = [`Authorization: Bearer ${token}`, ...headers, "Connection: close"];
  return new Promise((resolve, reject) => {
    const socket = net.connect(sandbox.port, "127.0.0.1", () => {
      socket.write([`GET ${path} HTTP/1.1`, ...all, "", ""].join("\r\n"));
    });
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.on("end", () => resolve(Number(text.split(" ")[1])));
    socket.on("error", reject);
  });
}

/** Every call to the controls, with ids of the caller's own: none is refused for what it names. */
function controlCalls(one: TestSandbox, own: FullNamespace): { method: string; path: string }[] {
  const routes = routesOf(one.sandbox).filter((route) => route.includes(" /sandbox/"));
  expect(routes.length).toBeGreaterThan(20);
  return routes.map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return { method, path: path.replace(/:(\w+)/, (_, name: string) => own[name] ?? "") };
  });
}

describe("C2 C3 C4 every call to the sandbox's controls", () => {
  it("is refused without effect for a foreign Host or Origin, a missing token or another media type, and never answered with CORS headers", async () => {
    const one = await open();
    const own = await fullNamespace(one);
    const before = await rowsOf(one, own.merchantId);
    const wrong: readonly (readonly [sent: CallOptions, refused: string])[] = [
      [{ headers: { host: "evil.test" } }, "403 FOREIGN_HOST"],
      [{ headers: { origin: "https://evil.test" } }, "403 FOREIGN_ORIGIN"],
      [{ headers: { origin: "null" } }, "403 FOREIGN_ORIGIN"],
      [{ headers: { "sec-fetch-site": "cross-site" } }, "403 FOREIGN_ORIGIN"],
      [{ token: null }, "401 UNAUTHENTICATED"],
      [{ token: "x".repeat(40) }, "401 UNAUTHENTICATED"],
      [{ text: "{}", headers: { "content-type": "text/plain" } }, "415 UNSUPPORTED_MEDIA_TYPE"],
    ];
    for (const [sent, refused] of wrong)
      for (const { method, path } of controlCalls(one, own)) {
        if (method === "GET" && sent.text !== undefined) continue;
        const answer = await one.call(method, path, { token: own.token, ...sent });
        expect([method, path, refusal(answer)]).toEqual([method, path, refused]);
        expect(answer.headers["content-type"]).toBe("application/problem+json");
        if (answer.status === 401) expect(answer.headers["www-authenticate"]).toMatch(/^Bearer /);
      }
    expect(await rowsOf(one, own.merchantId)).toEqual(before);
    for (const { method, path } of controlCalls(one, own)) {
      if (path === "/sandbox/stream") continue;
      const { headers } = await one.call(method, path, { token: own.token });
      const cors = Object.keys(headers).filter((name) => name.startsWith("access-control-"));
      expect([path, cors]).toEqual([path, []]);
    }
  });

  it("passes by a loopback name with the sandbox's port, and by no other Host", async () => {
    const one = await open();
    const { port } = one.sandbox;
    const status = (host: string) => raw(one, "/sandbox/clock", [`Host: ${host}`]);
    for (const name of ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
      expect([name, await status(`${name}:${port}`)]).toEqual([name, 200]);
    for (const host of [
      `evil.test:${port}`,
      `127.0.0.1.evil.test:${port}`,
      `127.0.0.1:${port}.evil.test`,
      "evil.test",
      "127.0.0.1",
      `127.0.0.1:${port + 1}`,
      `localhost:${port}@evil.test`,
      `0.0.0.0:${port}`,
      `2130706433:${port}`,
      "",
    ])
      expect([host, await status(host)]).toEqual([host, 403]);
    const two = [`Host: 127.0.0.1:${port}`, "Host: evil.test"];
    expect(await raw(one, "/sandbox/clock", two)).toBeOneOf([400, 403]);
    for (const path of ["/SANDBOX/clock", "/sandbox/stream", "http://evil.test/sandbox/clock"])
      expect([path, await raw(one, path, ["Host: evil.test"])]).toEqual([path, 403]);
    // RFC 9112, section 3.2.2: the host of a URL counts, not that of the header.
    const own = [`Host: 127.0.0.1:${port}`];
    expect(await raw(one, "http://evil.test/sandbox/clock", own)).toBe(403);
    expect(await raw(one, `http://127.0.0.1:${port}/sandbox/clock`, own)).toBe(200);
    // The interface's own calls take any name.
    expect(await raw(one, "/healthz", ["Host: sandbox.test"])).toBe(200);
    expect(refusal(await one.post("/v1/refunds"))).toMatch(/^415 /);
  });

  it("passes by an allowed name, with any port unless the name has one", async () => {
    const one = await openSandbox({ allowedHosts: ["Sandbox.Test", "other.test:8080"] });
    const status = (host: string) => raw(one, "/sandbox/clock", [`Host: ${host}`]);
    expect(await status("sandbox.test:9999")).toBe(200);
    expect(await status("other.test:8080")).toBe(200);
    expect(await status("other.test:8081")).toBe(403);
    expect(await status("evil.test")).toBe(403);
  });

  it("passes from the sandbox's own page and no other origin, and needs JSON only if it has a body", async () => {
    const one = await open();
    for (const [headers, status] of [
      [{ origin: "http://127.0.0.1:1" }, 403],
      [{ "sec-fetch-site": "same-site" }, 403],
      [{ "sec-fetch-site": "same-origin" }, 200],
      [{ "sec-fetch-site": "none" }, 200],
      [{ origin: one.sandbox.url, "sec-fetch-site": "same-origin" }, 200],
    ] as const) {
      const answer = await one.call("POST", "/sandbox/reset", { headers });
      expect([headers, answer.status]).toEqual([headers, status]);
    }
    const chunked = { text: "{}", headers: { "transfer-encoding": "chunked" } };
    for (const sent of [{ json: {} }, chunked])
      expect((await one.call("POST", "/sandbox/reset", sent)).status).toBe(200);
  });
});
