import { request, type IncomingHttpHeaders } from "node:http";
import net from "node:net";
import { describe, expect, it } from "vitest";
import { createApi } from "../../packages/dev/src/api.ts";
import { KEY, openInspector, SECRET, TOKEN, type OpenInspector } from "./open-inspector.ts";

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function send(
  one: OpenInspector,
  call: string,
  { headers = {}, body }: Sending = {},
): Promise<Answer> {
  const [method = "", path = ""] = call.split(" ");
  return new Promise((resolve, reject) => {
    const { port } = one;
    const options = { host: "127.0.0.1", port, method, path, headers, agent: false };
    const sending = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
      if (response.headers["content-type"] === "text/event-stream") {
        response.destroy();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      }
    });
    sending.on("error", reject);
    sending.end(body);
  });
}

/** What a browser sends with a call of the page's own script. */
const ownPage = (one: OpenInspector): Record<string, string> => ({
  origin: one.url,
  "sec-fetch-site": "same-origin",
  "content-type": "application/json",
});

/** An open session: its cookie and its token. */
async function session(one: OpenInspector): Promise<Record<string, string>> {
  const sent = { headers: ownPage(one), body: JSON.stringify({ key: KEY }) };
  const { headers, text } = await send(one, "POST /inspector/session", sent);
  const [cookie = ""] = headers["set-cookie"] ?? [];
  const { token } = JSON.parse(text) as { token: string };
  return { cookie: cookie.split(";")[0] ?? "", "x-inspector-token": token };
}

const READS = [
  "GET /inspector/session",
  "GET /inspector/api/sandbox/inspect",
  "GET /inspector/api/sandbox/inspect/timeline",
  "GET /inspector/api/sandbox/events",
  "GET /inspector/api/sandbox/deliveries",
  "GET /inspector/api/sandbox/subscriptions",
  "GET /inspector/api/sandbox/stream",
] as const;
const WRITES = [
  "POST /inspector/api/sandbox/reset",
  "PUT /inspector/api/sandbox/clock",
  "POST /inspector/api/sandbox/customers",
  "POST /inspector/api/v1/refunds",
  "POST /inspector/api/sandbox/inspect/subscriptions",
] as const;

describe("the inspector's server", () => {
  it("C1 lets a page run its own scripts alone, and make no markup of text", async () => {
    const one = await openInspector();
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
    const one = await openInspector();
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
    const one = await openInspector();
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
    const one = await openInspector();
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
    const one = await openInspector();
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
    const one = await openInspector();
    const headers = await session(one);
    expect((await send(one, "GET /sandbox/clock", { headers })).status).toBe(401);
    expect((await send(one, "GET /v1/customers/cus_x", { headers })).status).toBe(401);
  });

  it("C5 subscribes no address but the one of the command line, and replays to no other", async () => {
    const one = await openInspector();
    const headers = { ...ownPage(one), ...(await session(one)) };
    const subscribe = (members: object) =>
      send(one, "POST /inspector/api/sandbox/inspect/subscriptions", {
        headers,
        body: JSON.stringify({ subscriptionDetails: { type: "ALL" }, ...members }),
      });
    for (const url of [
      "http://127.0.0.1:1/",
      "http://169.254.169.254/",
      `${one.receiverUrl}/x`,
      "",
    ]) {
      expect((await subscribe({ url })).status).toBe(400);
    }
    const direct = { headers, body: JSON.stringify({ url: "http://127.0.0.1:1/" }) };
    expect((await send(one, "POST /inspector/api/v1/webhook/subscribe", direct)).status).toBe(404);
    expect((await subscribe({})).status).toBe(201);
    await one.api("POST", "/sandbox/events", { type: "account.linked" });
    await expect.poll(() => one.arrived.length).toBe(1);
    const { deliveries } = (await one.api("GET", "/sandbox/deliveries")).body as {
      deliveries: { deliveryId: string }[];
    };
    const replay = `POST /inspector/api/sandbox/deliveries/${deliveries[0]?.deliveryId ?? ""}/replay`;
    const elsewhere = { headers, body: JSON.stringify({ url: "http://127.0.0.1:1/" }) };
    expect((await send(one, replay, elsewhere)).status).toBe(400);
    expect((await send(one, replay, { headers, body: "{}" })).status).toBe(202);
    await expect.poll(() => one.arrived.length).toBe(2);
  });

  it("C7 tells the page neither the token, nor the key, nor a subscription's secret", async () => {
    const one = await openInspector();
    const headers = { ...ownPage(one), ...(await session(one)) };
    const post = (path: string, body: object) =>
      send(one, `POST /inspector/api${path}`, { headers, body: JSON.stringify(body) });
    await post("/sandbox/inspect/subscriptions", { subscriptionDetails: { type: "ALL" } });
    await post("/sandbox/events", { type: "account.linked" });
    await expect.poll(() => one.arrived.length).toBe(1);
    const shown = async (path: string): Promise<string> =>
      (await send(one, `GET /inspector/api${path}`, { headers })).text;
    const { deliveries } = JSON.parse(await shown("/sandbox/deliveries")) as {
      deliveries: { deliveryId: string; eventId: string }[];
    };
    const { deliveryId = "", eventId = "" } = deliveries[0] ?? {};
    const texts = [
      await shown("/sandbox/inspect"),
      await shown(`/sandbox/inspect/events/${eventId}`),
      await shown("/sandbox/subscriptions"),
      await shown("/sandbox/merchants"),
      (await post("/sandbox/inspect/signatures", { deliveryId, attempt: 1 })).text,
    ];
    expect(texts[4]).toContain('"verdict":"genuine"');
    for (const secret of [TOKEN, KEY, SECRET, SECRET.slice(6)]) {
      expect(texts.filter((text) => text.includes(secret))).toEqual([]);
    }
    // Whose answer would tell a token of another namespace.
    expect((await post("/sandbox/merchants", {})).status).toBe(404);
  });

  it("C8 answers with the page's files alone, by whatever path it is asked", async () => {
    const one = await openInspector();
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

  it("B18 shows another namespace's token nothing of this one, by whatever id", async () => {
    const one = await openInspector();
    await one.api("POST", "/v1/webhook/subscribe", {
      url: one.receiverUrl,
      secretKey: SECRET,
      subscriptionDetails: { type: "ALL" },
    });
    await one.api("POST", "/sandbox/events", { type: "account.linked" });
    await expect.poll(() => one.arrived.length).toBe(1);
    await one.api("POST", "/sandbox/outcomes", { outcome: "handled", eventId: "evt_1" });
    const { deliveries } = (await one.api("GET", "/sandbox/deliveries")).body as {
      deliveries: { deliveryId: string; eventId: string }[];
    };
    const { deliveryId = "", eventId = "" } = deliveries[0] ?? {};
    const made = (await one.api("POST", "/sandbox/merchants", {})).body as { accessToken: string };
    const other = createApi(one.url, made.accessToken);
    const order = { deliveryId, attempt: 1 };
    expect((await one.api("GET", `/sandbox/inspect/events/${eventId}`)).status).toBe(200);
    expect((await one.api("POST", "/sandbox/inspect/signatures", order)).status).toBe(200);
    expect((await other("GET", `/sandbox/inspect/events/${eventId}`)).status).toBe(404);
    expect((await other("POST", "/sandbox/inspect/signatures", order)).status).toBe(404);
    expect((await other("GET", "/sandbox/inspect/refunds/ref_x")).status).toBe(404);
    expect((await other("GET", "/sandbox/outcomes")).body).toEqual({ outcomes: [] });
    expect((await other("GET", "/sandbox/inspect/timeline")).body).toMatchObject({ events: [] });
    expect((await other("GET", "/sandbox/inspect/due")).body).toMatchObject({ next: null });
  });

  it("is not there where a sandbox is started without it", async () => {
    const one = await openInspector({ inspector: undefined } as object);
    expect((await send(one, "GET /inspector/")).status).toBe(404);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await send(one, "GET /sandbox/inspect", { headers })).status).toBe(404);
  });
});
