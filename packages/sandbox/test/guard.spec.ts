import net from "node:net";
import { describe, expect, it } from "vitest";
import { openSandbox, refusal, TOKEN, type TestSandbox } from "./open-sandbox.ts";

/** The status of an answer to these very bytes. */
function raw(sandbox: TestSandbox, path: string, headers: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(sandbox.sandbox.port, "127.0.0.1", () => {
      socket.write(
        [
          `GET ${path} HTTP/1.1`,
          `Authorization: Bearer ${TOKEN}`,
          ...headers,
          "Connection: close",
          "",
          "",
        ].join("\r\n"),
      );
    });
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.on("end", () => resolve(Number(text.split(" ")[1])));
    socket.on("error", reject);
  });
}

describe("a call to the controls", () => {
  it("passes by the loopback names with the sandbox's port", async () => {
    const one = await openSandbox();
    const { port } = one.sandbox;
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `[::1]:${port}`,
      `LOCALHOST:${port}`,
    ]) {
      expect(await raw(one, "/sandbox/clock", [`Host: ${host}`])).toBe(200);
    }
  });

  it("is refused by every other name, also one that resolves to this machine", async () => {
    const one = await openSandbox();
    const { port } = one.sandbox;
    const hosts = [
      `evil.test:${port}`,
      `127.0.0.1.evil.test:${port}`,
      `127.0.0.1:${port}.evil.test`,
      `evil.test`,
      `127.0.0.1`,
      `127.0.0.1:${port + 1}`,
      `localhost:${port}@evil.test`,
      `0.0.0.0:${port}`,
      `2130706433:${port}`,
      "",
    ];
    for (const host of hosts) {
      expect([host, await raw(one, "/sandbox/clock", [`Host: ${host}`])]).toEqual([host, 403]);
    }
    const two = [`Host: 127.0.0.1:${port}`, "Host: evil.test"];
    expect(await raw(one, "/sandbox/clock", two)).toBeOneOf([400, 403]);
    expect(await raw(one, "/SANDBOX/clock", ["Host: evil.test"])).toBe(403);
    expect(await raw(one, "/sandbox/stream", ["Host: evil.test"])).toBe(403);
    const absolute = "http://evil.test/sandbox/clock";
    expect(await raw(one, absolute, ["Host: evil.test"])).toBe(403);
  });

  it("passes by a name that has been allowed, with any port or its own", async () => {
    const one = await openSandbox({ allowedHosts: ["Sandbox.Test", "other.test:8080"] });
    expect(await raw(one, "/sandbox/clock", ["Host: sandbox.test:9999"])).toBe(200);
    expect(await raw(one, "/sandbox/clock", ["Host: other.test:8080"])).toBe(200);
    expect(await raw(one, "/sandbox/clock", ["Host: other.test:8081"])).toBe(403);
    expect(await raw(one, "/sandbox/clock", ["Host: evil.test"])).toBe(403);
  });

  it.each([
    [{ origin: "https://evil.test" }, 403],
    [{ origin: "null" }, 403],
    [{ origin: "http://127.0.0.1:1" }, 403],
    [{ "sec-fetch-site": "cross-site" }, 403],
    [{ "sec-fetch-site": "same-site" }, 403],
    [{ "sec-fetch-site": "same-origin" }, 200],
    [{ "sec-fetch-site": "none" }, 200],
  ])("with %j is answered %d", async (headers, status) => {
    const one = await openSandbox();
    expect((await one.call("GET", "/sandbox/clock", { headers })).status).toBe(status);
  });

  it("from a page of the sandbox itself passes", async () => {
    const one = await openSandbox();
    const headers = { origin: one.sandbox.url, "sec-fetch-site": "same-origin" };
    expect((await one.call("POST", "/sandbox/reset", { headers })).status).toBe(200);
  });

  it("says why it is refused, and does nothing", async () => {
    const one = await openSandbox();
    const before = await one.list("/sandbox/payments");
    const answer = await one.call("POST", "/sandbox/reset", {
      headers: { origin: "https://evil.test" },
    });
    expect(refusal(answer)).toEqual({ status: 403, code: "FOREIGN_ORIGIN" });
    expect(answer.headers["content-type"]).toBe("application/problem+json");
    expect(await one.list("/sandbox/payments")).toEqual(before);
  });

  it.each([null, "unknown-token-unknown-token"])(
    "with the token %j is not authenticated",
    async (token) => {
      const one = await openSandbox();
      for (const [method, path] of [
        ["GET", "/sandbox/clock"],
        ["PUT", "/sandbox/faults"],
        ["POST", "/sandbox/reset"],
        ["GET", "/sandbox/stream"],
        ["POST", "/sandbox/merchants"],
      ] as const) {
        const answer = await one.call(method, path, { token });
        expect([path, refusal(answer)]).toEqual([path, { status: 401, code: "UNAUTHENTICATED" }]);
        expect(answer.headers["www-authenticate"]).toMatch(/^Bearer /);
      }
    },
  );

  it("needs JSON where it has a body, and none where it takes no members", async () => {
    const one = await openSandbox();
    const form = {
      text: "now=1",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    };
    expect(refusal(await one.call("PUT", "/sandbox/clock", form))).toMatchObject({ status: 415 });
    const plain = { text: "{}", headers: { "content-type": "text/plain" } };
    expect(refusal(await one.call("POST", "/sandbox/reset", plain))).toMatchObject({ status: 415 });
    expect((await one.call("POST", "/sandbox/reset")).status).toBe(200);
    expect((await one.call("POST", "/sandbox/reset", { json: {} })).status).toBe(200);
    const chunked = { text: "{}", headers: { "transfer-encoding": "chunked" } };
    expect((await one.call("POST", "/sandbox/reset", chunked)).status).toBe(200);
  });

  it("does not change what the interface's calls need", async () => {
    const one = await openSandbox();
    expect(await raw(one, "/healthz", ["Host: sandbox.test"])).toBe(200);
    expect(refusal(await one.call("POST", "/v1/refunds"))).toMatchObject({ status: 415 });
  });
});
