import net from "node:net";
import { text as textOf } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KEY, openInspector, type OpenInspector, TOKEN } from "./open-inspector.ts";
import { openSession, send, session } from "./page-calls.ts";

const API = "/inspector/api";
const READS = [
  "GET /inspector/session",
  `GET ${API}/sandbox/inspect`,
  `GET ${API}/sandbox/inspect/events`,
  `GET ${API}/sandbox/inspect/search?q=x`,
  `GET ${API}/sandbox/inspect/payments`,
  `GET ${API}/sandbox/events`,
  `GET ${API}/sandbox/deliveries`,
  `GET ${API}/sandbox/subscriptions`,
  `GET ${API}/sandbox/inspect/checks`,
  `GET ${API}/sandbox/stream`,
];
const WRITES = [
  `POST ${API}/sandbox/reset`,
  `PUT ${API}/sandbox/clock`,
  `POST ${API}/sandbox/customers`,
  `POST ${API}/v1/refunds`,
  `POST ${API}/sandbox/inspect/endpoints`,
  `POST ${API}/sandbox/inspect/reset`,
  `POST ${API}/sandbox/inspect/resend`,
  `POST ${API}/sandbox/inspect/checks`,
  `POST ${API}/sandbox/inspect/checks/stop`,
];
const FOREIGN_HOSTS =
  "evil.test 127.0.0.1.evil.test localhost.evil.test 0.0.0.0 2130706433 127.1 0x7f.1 [::] [::ffff:127.0.0.1] 169.254.169.254 evil";
const PATHS = ["/inspector/", "/inspector/session", "/INSPECTOR/", `${API}/sandbox/clock`];

// C1 to C9 are the threats to a local page. Here: who is answered, what a page may do, which files it gets.
describe("the inspector's server", () => {
  const ends: (() => void | Promise<void>)[] = [];
  let one: OpenInspector;
  beforeAll(async () => {
    one = await openInspector({}, (end) => ends.unshift(end));
  });
  afterAll(async () => {
    // oxlint-disable-next-line no-await-in-loop -- the last one opened ends first
    for (const end of ends) await end();
  });

  it("C1 allows a page its own scripts only, and no markup made of text", async () => {
    const { headers, text } = await send(one, "GET /inspector/");
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(text).not.toMatch(/https?:\/\/|<script(?![^>]*\ssrc=")|<style|\son\w+=/i);
  });

  it("C2 answers calls to loopback names only", async () => {
    const statusOf = async (hosts: readonly string[], path = "/inspector/"): Promise<number> => {
      const socket = net.connect(one.port, "127.0.0.1");
      const lines = [`GET ${path} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`)];
      socket.write([...lines, "Connection: close", "", ""].join("\r\n"));
      return Number((await textOf(socket)).split(" ")[1]);
    };
    const port = String(one.port);
    for (const name of ["127.0.0.1", "localhost", "[::1]"])
      expect([name, await statusOf([`${name}:${port}`])]).toEqual([name, 200]);
    const odd = [`127.0.0.1:${port}@evil.test`, `evil.test#127.0.0.1:${port}`, "localhost:"];
    const otherPort = `127.0.0.1:${String(one.port + 1)}`;
    const foreign = FOREIGN_HOSTS.split(" ").map((name) => `${name}:${port}`);
    for (const host of [...foreign, ...odd, "evil.test", "127.0.0.1", "", otherPort])
      for (const path of PATHS)
        expect([host, path, await statusOf([host], path)]).toEqual([host, path, 403]);
    expect(await statusOf([])).toBe(400);
    expect(await statusOf([`127.0.0.1:${port}`, "evil.test"])).toBeOneOf([400, 403]);
  });

  it("C3 changes nothing for another site's page, whatever it sends", async () => {
    const full = await session(one);
    const forged: readonly Record<string, string>[] = [
      ...["https://evil.test", "null", `http://127.0.0.1:${String(one.port + 1)}`].map(
        (origin) => ({ ...full, origin }),
      ),
      { ...full, origin: `http://localhost:${String(one.port)}` },
      ...["cross-site", "same-site", "none"].map((site) => ({ ...full, "sec-fetch-site": site })),
      ...["text/plain", "application/x-www-form-urlencoded"].map((type) => ({
        ...full,
        "content-type": type,
      })),
      { ...full, "x-inspector-token": "guessed" },
      // Each of the five headers left out.
      ...Object.keys(full).map((name) =>
        Object.fromEntries(Object.entries(full).filter(([key]) => key !== name)),
      ),
    ];
    const before = (await one.api("GET", "/sandbox/payments")).body;
    for (const call of WRITES)
      for (const headers of forged) {
        const { status } = await send(one, call, { headers, body: "{}" });
        expect([call, headers, status]).toEqual([call, headers, expect.toBeOneOf([401, 403, 415])]);
      }
    expect((await one.api("GET", "/sandbox/payments")).body).toEqual(before);
    // The same call passes with all headers.
    const own = await send(one, `POST ${API}/sandbox/customers`, { headers: full, body: "{}" });
    expect(own.status).toBe(201);
    expect(Object.keys(own.headers).join()).not.toContain("access-control");
  });

  it("C3 opens no stream for another site's page", async () => {
    const { cookie = "" } = await session(one);
    const statusOf = async (headers: Record<string, string>): Promise<number> =>
      (await send(one, `GET ${API}/sandbox/stream`, { headers: { cookie, ...headers } })).status;
    expect(await statusOf({ "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await statusOf({ "sec-fetch-site": "same-site" })).toBe(403);
    expect(await statusOf({ origin: "https://evil.test" })).toBe(403);
    expect(await statusOf({})).toBe(200);
  });

  it("C3 lets another site open the page in its own tab, but neither embed nor read it", async () => {
    const statusOf = async (mode: string, dest: string, call = "GET /inspector/") => {
      const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": mode };
      return (await send(one, call, { headers: { ...headers, "sec-fetch-dest": dest } })).status;
    };
    expect(await statusOf("navigate", "document")).toBe(200);
    for (const [mode, dest] of [
      ["navigate", "iframe"],
      ["no-cors", "document"],
      ["cors", "empty"],
    ] as const)
      expect([mode, dest, await statusOf(mode, dest)]).toEqual([mode, dest, 403]);
    for (const call of [...READS, "POST /inspector/", "GET /sandbox/clock"])
      expect([call, await statusOf("navigate", "document", call)]).toEqual([call, 403]);
  });

  it("C4 answers only with a session, and opens one for the key only", async () => {
    const name = "countersign-inspector-";
    for (const call of READS)
      for (const cookie of ["", `${name}1=x`, `${name}${String(one.port)}=x`]) {
        const { status } = await send(one, call, { headers: { cookie } });
        expect([call, cookie, status]).toEqual([call, cookie, 401]);
      }
    for (const key of ["", "x", `${KEY}x`, KEY.slice(1), TOKEN]) {
      const { status, headers } = await openSession(one, key);
      expect([key, status, headers["set-cookie"]]).toEqual([key, 401, undefined]);
    }
    const { headers } = await openSession(one, KEY);
    expect(headers["set-cookie"]?.[0]).toMatch(/; Path=\/inspector\/; SameSite=Strict; HttpOnly$/);
  });

  it("C4 refuses the page's cookie for the sandbox's own controls", async () => {
    const headers = await session(one);
    expect((await send(one, "GET /sandbox/clock", { headers })).status).toBe(401);
    expect((await send(one, "GET /v1/customers/cus_x", { headers })).status).toBe(401);
  });

  it("C8 serves the page's files only, whatever the path", async () => {
    const inside = ["../package.json", "%2e%2e/package.json", "..%2fpackage.json", "%00"];
    const deep = ["assets/../../package.json", "/etc/passwd", "assets", "x".repeat(300)];
    for (const path of [...inside, ...deep])
      expect([path, (await send(one, `GET /inspector/${path}`)).status]).toEqual([path, 404]);
    expect((await send(one, "GET /inspector")).status).toBe(308);
    expect((await send(one, "POST /inspector/")).status).toBe(405);
  });

  it("does not exist if the sandbox starts without an inspector", async () => {
    // The type does not say that the member may be undefined.
    const without = await openInspector({ inspector: undefined } as object);
    expect((await send(without, "GET /inspector/")).status).toBe(404);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await send(without, "GET /sandbox/inspect", { headers })).status).toBe(404);
  });
});
