import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { reference } from "@countersign/schemas/providers";
import { standardWebhooks } from "@countersign/signatures";
import { beforeAll, describe, expect, it } from "vitest";
import { curlOf, testOf } from "../../packages/inspector/src/events/snippets.ts";
import { atEndOfFile } from "../temporary-folder.ts";
import { TOKEN } from "../../packages/service/test/sandbox/open-sandbox.ts";
import { KEY, openInspector, type OpenInspector, SECRET } from "./open-inspector.ts";

type Headers = Readonly<Record<string, string>>;

type Answer = Awaited<ReturnType<typeof send>>;

/** Sends one call on its own connection, with these headers and no others. */
async function send(
  { port }: OpenInspector,
  call: string,
  { headers = {}, body }: { headers?: Headers; body?: string } = {},
) {
  const [method = "", path = ""] = call.split(" ");
  const sending = request({ host: "127.0.0.1", port, method, path, headers, agent: false });
  sending.end(body);
  // The event's one argument.
  const [response] = (await once(sending, "response")) as [IncomingMessage];
  const { statusCode: status = 0, headers: got } = response;
  const isStream = got["content-type"] === "text/event-stream";
  if (isStream) response.destroy();
  return { status, headers: got, text: isStream ? "" : await textOf(response) };
}

/** The headers that a browser sends with a call of the page's own script. */
const ownPage = (one: OpenInspector): Headers => ({
  origin: one.url,
  "sec-fetch-site": "same-origin",
  "content-type": "application/json",
});

const openSession = (one: OpenInspector, key: string): Promise<Answer> =>
  send(one, "POST /inspector/session", { headers: { ...ownPage(one), "x-inspector-key": key } });

/** The headers of an open session: its cookie, its token and those of the page. */
async function session(one: OpenInspector): Promise<Headers> {
  const { headers, text } = await openSession(one, KEY);
  const { token } = JSON.parse(text) as { token: string };
  const [cookie = ""] = headers["set-cookie"]?.[0]?.split(";") ?? [];
  return { ...ownPage(one), cookie, "x-inspector-token": token };
}

const API = "/inspector/api";
const READS = [
  "GET /inspector/session",
  `GET ${API}/sandbox/inspect`,
  `GET ${API}/sandbox/inspect/events`,
  `GET ${API}/sandbox/events`,
  `GET ${API}/sandbox/stream`,
];
const WRITES = [
  `POST ${API}/sandbox/reset`,
  `PUT ${API}/sandbox/clock`,
  `POST ${API}/sandbox/customers`,
  `POST ${API}/v1/refunds`,
  `POST ${API}/sandbox/inspect/checks`,
];
const PATHS = ["/inspector/", "/inspector/session", "/INSPECTOR/", `${API}/sandbox/clock`];

// C1 to C9 are the threats to a local page. Here: who is answered, what a page may do, which files it gets.
describe("the inspector's server", () => {
  const atEnd = atEndOfFile();
  let one: OpenInspector;
  beforeAll(async () => {
    one = await openInspector({}, atEnd);
  });

  it("C1 allows a page its own scripts only, and no markup made of text", async () => {
    const { headers, text } = await send(one, "GET /inspector/");
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(text).not.toMatch(/https?:\/\/|<script(?![^>]*\ssrc=")|<style|\son\w+=/i);
  });

  // Every spelling of a host is in the sandbox's guard.spec.ts: one guard is for all paths.
  it.each(PATHS)("C2 refuses a foreign host at %s", async (path) => {
    const headers = { host: `evil.test:${String(one.port)}` };
    expect((await send(one, `GET ${path}`, { headers })).status).toBe(403);
  });

  it("C3 changes nothing for another site's page, whatever it sends", async () => {
    const full = await session(one);
    const forged: readonly Headers[] = [
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

  it.each<[Headers, number]>([
    [{ "sec-fetch-site": "cross-site" }, 403],
    [{ origin: "https://evil.test" }, 403],
    [{}, 200],
  ])("C3 opens no stream for another site's page: %o", async (foreign, status) => {
    const { cookie = "" } = await session(one);
    const headers = { cookie, ...foreign };
    expect((await send(one, `GET ${API}/sandbox/stream`, { headers })).status).toBe(status);
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

  it("C4 answers only with a session, which only the key opens and the sandbox's controls do not know", async () => {
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
    for (const call of ["GET /sandbox/clock", "GET /v1/customers/cus_x"])
      expect((await send(one, call, { headers: await session(one) })).status).toBe(401);
  });

  it("C8 serves the page's files only, whatever the path", async () => {
    const inside = ["../package.json", "%2e%2e/package.json", "..%2fpackage.json", "%00"];
    const deep = ["assets/../../package.json", "/etc/passwd", "assets", "x".repeat(300)];
    for (const path of [...inside, ...deep])
      expect([path, (await send(one, `GET /inspector/${path}`)).status]).toEqual([path, 404]);
    expect((await send(one, "GET /inspector")).status).toBe(308);
    expect((await send(one, "POST /inspector/")).status).toBe(405);
  });
});

const CLOSED_PORT = "http://127.0.0.1:1/";

/** Posts as the page does. */
async function poster(
  one: OpenInspector,
): Promise<(path: string, body: object) => Promise<Answer>> {
  const headers = await session(one);
  return (path, body) => send(one, `POST ${API}${path}`, { headers, body: JSON.stringify(body) });
}

/** One event, delivered to the sandbox's receiver. */
async function deliverOne(one: OpenInspector): Promise<{ deliveryId: string; eventId: string }> {
  await one.api("POST", "/v1/webhook/subscribe", {
    url: one.receiverUrl,
    secretKey: SECRET,
    subscriptionDetails: { type: "ALL" },
  });
  await one.api("POST", "/sandbox/events", { type: "account.linked" });
  await expect.poll(() => one.arrived.length).toBe(1);
  const { deliveries } = (await one.api("GET", "/sandbox/deliveries")).body as {
    deliveries: { deliveryId: string; eventId: string }[];
  };
  return deliveries[0] ?? { deliveryId: "", eventId: "" };
}

// C5 to C7: where anything is sent, and what is shown to whom.
describe("the inspector's data", () => {
  // Checks: packages/service/test/sandbox/checks.spec.ts.
  it("C5 are sent to addresses of this machine only, by endpoints and replays", async () => {
    const one = await openInspector();
    const { deliveryId } = await deliverOne(one);
    const post = await poster(one);
    const subscribe = (members: object) => post("/sandbox/inspect/endpoints", members);
    const names =
      "evil.test 169.254.169.254 10.0.0.1 127.0.0.1.evil.test localhost.evil.test [fe80::1] 0.0.0.0";
    // https too, which the service itself accepts.
    const urls = names.split(" ").flatMap((name) => [`http://${name}/`, `https://${name}/`]);
    const odd = ["http://localhost@evil.test/", "file://localhost/etc/passwd", "javascript:1", ""];
    for (const url of [...urls, ...odd])
      expect([url, (await subscribe({ url })).status]).toEqual([url, 400]);
    expect((await subscribe({ url: CLOSED_PORT })).status).toBe(201);
    expect((await post("/v1/webhook/subscribe", { url: CLOSED_PORT })).status).toBe(404);
    expect((await subscribe({})).status).toBe(201);

    const replay = `/sandbox/deliveries/${deliveryId}/replay`;
    expect((await post(replay, { url: CLOSED_PORT })).status).toBe(400);
    expect((await post(replay, {})).status).toBe(202);
    await expect.poll(() => one.arrived.length).toBe(2);
  });

  it("C6 reach the page, a shell and a copied test without characters that control a terminal", async () => {
    const one = await openInspector();
    const codes = Array.from({ length: 32 }, (_, index) => [index, 127 + index]).flat();
    const controls = String.fromCodePoint(...codes, 159, 0x202e, 0x2066);
    const data = { id: controls, [controls]: controls };
    const made = await one.api("POST", "/sandbox/events", { type: "account.linked", data });
    const { id, payload } = made.body as { id: string; payload: string };
    const { cookie = "" } = await session(one);
    const { text } = await send(one, `GET ${API}/sandbox/inspect/events/${id}`, {
      headers: { cookie },
    });
    // C0, which every terminal obeys, is escaped twice: in the payload and in the answer around it.
    expect(text).not.toMatch(/(?!\n)\p{Cc}(?<![\x7F-\x9F])/u);

    const event = { id, type: "account.linked", payload };
    const headers = { "webhook-id": id, "x-odd": controls.slice(1) };
    const curl = curlOf({ url: one.receiverUrl, headers, body: payload });
    for (const copied of [curl, testOf({ ...event, eventId: event.id }, { provider: reference })])
      expect(copied).toMatch(/^[\n\x20-\x7E]+$/);
  });

  it("C7 never contain the token, the key or a secret, except a new endpoint's once, and have a signature of now to copy", async () => {
    const one = await openInspector();
    const { deliveryId, eventId } = await deliverOne(one);
    const post = await poster(one);
    const headers = await session(one);
    const added = await post("/sandbox/inspect/endpoints", {
      url: CLOSED_PORT,
    });
    const { secretKey } = JSON.parse(added.text) as { secretKey: string };
    expect(secretKey).toMatch(/^whsec_.{44}$/);
    const names = ["inspect", "inspect/events", `inspect/events/${eventId}`, "inspect/endpoints"];
    const paths = [...names, "inspect/search?q=whsec", "subscriptions", "merchants"];
    const answers = await Promise.all(
      paths.map((path) => send(one, `GET ${API}/sandbox/${path}`, { headers })),
    );
    const verified = await post("/sandbox/inspect/signatures", { deliveryId, attempt: 1 });
    expect(verified.text).toContain('"verdict":"genuine"');
    const signed = await post("/sandbox/inspect/signatures/now", { deliveryId });
    for (const secret of [TOKEN, KEY, SECRET, SECRET.slice(6), secretKey.slice(6)])
      for (const { text } of [...answers, verified, signed]) expect(text).not.toContain(secret);
    // Its answer would contain the token of another namespace.
    expect((await post("/sandbox/merchants", {})).status).toBe(404);

    const now = JSON.parse(signed.text) as { url: string; headers: Headers; body: string };
    expect([now.url, now.body]).toEqual([one.receiverUrl, one.arrived[0]]);
    const message = { headers: now.headers, body: Buffer.from(now.body) };
    expect(standardWebhooks().verify(message, [SECRET], { now: Date.now() }).ok).toBe(true);
  });
});
