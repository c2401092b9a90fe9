import net from "node:net";
import { expect, it } from "vitest";
import { inspectorOfFile, KEY, openInspector, TOKEN } from "./open-inspector.ts";
import { ownPage, send, session } from "./page-calls.ts";

const READS = [
  "GET /inspector/session",
  "GET /inspector/api/sandbox/inspect",
  "GET /inspector/api/sandbox/inspect/timeline",
  "GET /inspector/api/sandbox/events",
  "GET /inspector/api/sandbox/deliveries",
  "GET /inspector/api/sandbox/subscriptions",
  "GET /inspector/api/sandbox/inspect/checks",
  "GET /inspector/api/sandbox/stream",
] as const;
const WRITES = [
  "POST /inspector/api/sandbox/reset",
  "PUT /inspector/api/sandbox/clock",
  "POST /inspector/api/sandbox/customers",
  "POST /inspector/api/v1/refunds",
  "POST /inspector/api/sandbox/inspect/subscriptions",
  "POST /inspector/api/sandbox/inspect/checks",
  "POST /inspector/api/sandbox/inspect/checks/stop",
] as const;

/** C1 to C4 and C8: who is answered, what a page may do, and which files it gets. */
export function securityOfCalls(): void {
  const shared = inspectorOfFile();

  it("C1 lets a page run its own scripts alone, and make no markup of text", async () => {
    const one = await shared();
    const { headers, text } = await send(one, "GET /inspector/");
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(text.match(/https?:\/\//g)).toBeNull();
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=")|<style|\son\w+=/i);
  });

  it("C2 is called by loopback names alone", async () => {
    const one = await shared();
    const status = (hosts: readonly string[], path = "/inspector/"): Promise<number> =>
      new Promise((resolve, reject) => {
        const socket = net.connect(one.port, "127.0.0.1", () => {
          const lines = [`GET ${path} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`)];
          socket.write([...lines, "Connection: close", "", ""].join("\r\n"));
        });
        let text = "";
        socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
        socket.on("end", () => resolve(Number(text.split(" ")[1])));
        socket.on("error", reject);
      });
    const port = String(one.port);
    for (const name of ["127.0.0.1", "localhost", "[::1]"]) {
      expect([name, await status([`${name}:${port}`])]).toEqual([name, 200]);
    }
    const names =
      "evil.test 127.0.0.1.evil.test localhost.evil.test 0.0.0.0 2130706433 127.1 0x7f.1 [::] [::ffff:127.0.0.1] 169.254.169.254 evil";
    const foreign = names.split(" ").map((name) => `${name}:${port}`);
    const odd = [
      "evil.test",
      "127.0.0.1",
      "",
      `127.0.0.1:${port}@evil.test`,
      `evil.test#127.0.0.1:${port}`,
    ];
    for (const host of [...foreign, ...odd, `127.0.0.1:${String(one.port + 1)}`, "localhost:"]) {
      for (const path of [
        "/inspector/",
        "/inspector/session",
        "/INSPECTOR/",
        "/inspector/api/sandbox/clock",
      ]) {
        expect([host, path, await status([host], path)]).toEqual([host, path, 403]);
      }
    }
    expect(await status([])).toBe(400);
    expect(await status([`127.0.0.1:${port}`, "evil.test"])).toBeOneOf([400, 403]);
  });

  it("C3 changes nothing for another site's page, whatever it sends", async () => {
    const one = await shared();
    const { cookie = "", "x-inspector-token": token = "" } = await session(one);
    const full = { ...ownPage(one), cookie, "x-inspector-token": token };
    const without = (name: string) =>
      Object.fromEntries(Object.entries(full).filter(([key]) => key !== name));
    const forged: readonly Record<string, string>[] = [
      { ...full, origin: "https://evil.test" },
      { ...full, origin: "null" },
      { ...full, origin: `http://127.0.0.1:${String(one.port + 1)}` },
      { ...full, origin: `http://localhost:${String(one.port)}` },
      without("origin"),
      { ...full, "sec-fetch-site": "cross-site" },
      { ...full, "sec-fetch-site": "same-site" },
      { ...full, "sec-fetch-site": "none" },
      without("sec-fetch-site"),
      { ...full, "content-type": "text/plain" },
      { ...full, "content-type": "application/x-www-form-urlencoded" },
      without("content-type"),
      { ...full, "x-inspector-token": "guessed" },
      without("x-inspector-token"),
      without("cookie"),
    ];
    const before = (await one.api("GET", "/sandbox/payments")).body;
    for (const call of WRITES) {
      for (const headers of forged) {
        const { status } = await send(one, call, { headers, body: "{}" });
        expect([call, headers, status]).toEqual([call, headers, expect.toBeOneOf([401, 403, 415])]);
      }
    }
    expect((await one.api("GET", "/sandbox/payments")).body).toEqual(before);
    // What the forged ones lack is all that they lack.
    const own = await send(one, "POST /inspector/api/sandbox/customers", {
      headers: full,
      body: "{}",
    });
    expect(own.status).toBe(201);
    expect(Object.keys(own.headers).filter((name) => name.startsWith("access-control"))).toEqual(
      [],
    );
  });

  it("C3 opens no stream for another site's page", async () => {
    const one = await shared();
    const { cookie = "" } = await session(one);
    const path = "GET /inspector/api/sandbox/stream";
    for (const site of ["cross-site", "same-site"]) {
      const { status } = await send(one, path, { headers: { cookie, "sec-fetch-site": site } });
      expect(status).toBe(403);
    }
    expect(
      (await send(one, path, { headers: { cookie, origin: "https://evil.test" } })).status,
    ).toBe(403);
    expect((await send(one, path, { headers: { cookie } })).status).toBe(200);
  });

  it("C4 tells nothing without the session, and opens one for the key alone", async () => {
    const one = await shared();
    for (const call of READS) {
      for (const cookie of [
        "",
        "countersign-inspector-1=x",
        `countersign-inspector-${String(one.port)}=x`,
      ]) {
        expect([call, (await send(one, call, { headers: { cookie } })).status]).toEqual([
          call,
          401,
        ]);
      }
    }
    for (const key of ["", "x", `${KEY}x`, KEY.slice(1), TOKEN]) {
      const sent = { headers: ownPage(one), body: JSON.stringify({ key }) };
      const { status, headers } = await send(one, "POST /inspector/session", sent);
      expect([key, status, headers["set-cookie"]]).toEqual([key, 401, undefined]);
    }
    const sent = { headers: ownPage(one), body: JSON.stringify({ key: KEY }) };
    const { headers } = await send(one, "POST /inspector/session", sent);
    expect(headers["set-cookie"]?.[0]).toMatch(/; Path=\/inspector\/; SameSite=Strict; HttpOnly$/);
  });

  it("C4 does not take the page's cookie for the controls themselves", async () => {
    const one = await shared();
    const headers = await session(one);
    expect((await send(one, "GET /sandbox/clock", { headers })).status).toBe(401);
    expect((await send(one, "GET /v1/customers/cus_x", { headers })).status).toBe(401);
  });

  it("C8 answers with the page's files alone, by whatever path it is asked", async () => {
    const one = await shared();
    for (const path of [
      "/inspector/../package.json",
      "/inspector/%2e%2e/package.json",
      "/inspector/..%2fpackage.json",
      "/inspector/assets/../../package.json",
      "/inspector/%00",
      "/inspector//etc/passwd",
      "/inspector/assets",
      `/inspector/${"x".repeat(300)}`,
    ]) {
      expect([path, (await send(one, `GET ${path}`)).status]).toEqual([path, 404]);
    }
    expect((await send(one, "GET /inspector")).status).toBe(308);
    expect((await send(one, "POST /inspector/")).status).toBe(405);
  });

  it("is not there where a sandbox is started without it", async () => {
    const one = await openInspector({ inspector: undefined } as object);
    expect((await send(one, "GET /inspector/")).status).toBe(404);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await send(one, "GET /sandbox/inspect", { headers })).status).toBe(404);
  });
}
