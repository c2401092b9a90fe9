import { existsSync, readFileSync, statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { readDocument } from "@countersign/contract-kit/documents";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { type ProviderDocument, standardWebhooks } from "@countersign/schemas/providers";
import { schemeOf } from "@countersign/signatures";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { listen as listenAt } from "../../service/test/sandbox/listen.ts";
import { containing, SECRET } from "./fixtures.ts";
import { findingsOf } from "../src/listen/provider-attempts.ts";
import { ran, serveHere, told } from "./ran.ts";
import { eventBody, openApi } from "./types/openapi.ts";

const stripe = providersByName.get("stripe") as ProviderDocument; // it is in the book
const github = providersByName.get("github") as ProviderDocument; // it is in the book
const body =
  '{"id":"evt_1","type":"charge.refunded","data":{"object":{"amount":10.50,"billing_details":{"name":"Zoe Doe"},"receipt_email":"zoe@example.com"}}}';

interface Got {
  readonly headers: IncomingMessage["headers"];
  readonly url: string;
  readonly body: string;
}

/** An app that keeps what it gets. */
async function openApp(
  answer: (response: ServerResponse, got: Got) => unknown = (response) =>
    response.writeHead(204).end(),
) {
  const got: Got[] = [];
  const url = await listenAt((request, response) => {
    void buffer(request).then((bytes) => {
      const one = { headers: request.headers, url: request.url ?? "", body: bytes.toString() };
      got.push(one);
      answer(response, one);
    });
  });
  return { url: `${url}/hooks`, got };
}

async function openListener(
  apps: readonly string[],
  more: readonly string[] = [],
  { provider = "stripe", env = { COUNTERSIGN_SECRET: SECRET } } = {},
) {
  const database = join(temporaryFolder(), "listen.db");
  const to = apps.flatMap((url) => ["--forward-to", url]);
  const args = ["listen", "--provider", provider, ...to, "--port", "0", "--database", database];
  const start = () => serveHere([...args, ...more], env);
  return { ...(await start()), start, database };
}

/** Signs as Stripe does, and posts. */
function post(
  url: string,
  { secret = SECRET, text = body, at = Date.now(), headers = {} } = {},
): Promise<Response> {
  const timestamp = Math.floor(at / 1000);
  const signed = schemeOf(stripe).sign({ timestamp, body: Buffer.from(text) }, [secret]).headers;
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...signed, ...headers },
    body: text,
  });
}

/** Opens the page's session and returns its calls. */
async function openSession(address: string) {
  const { origin, hash } = new URL(address);
  const own = { "content-type": "application/json", origin, "sec-fetch-site": "same-origin" };
  const opened = await fetch(`${origin}/inspector/session`, {
    method: "POST",
    headers: { ...own, "x-inspector-key": hash.replace("#key=", "") },
  });
  const { token } = (await opened.json()) as { token: string };
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  return async (method: string, path: string, sent?: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${origin}/inspector/api${path}`, {
      method,
      headers: { ...own, cookie, "x-inspector-token": token },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
    });
    return (await answer.json()) as Record<string, unknown>;
  };
}

describe("countersign listen", () => {
  it("relays the bytes and the signature that arrived, and answers what the app answers", async () => {
    const app = await openApp((response) =>
      response.writeHead(207, { "x-own": "yes", "content-type": "text/plain" }).end("kept"),
    );
    const { url, stdout } = await openListener([app.url]);
    const answer = await post(`${url}/any?team=7`, { headers: { "x-more": "1" } });
    expect([answer.status, answer.headers.get("x-own"), await answer.text()]).toEqual([
      207,
      "yes",
      "kept",
    ]);
    const [one] = app.got;
    expect(one).toMatchObject({ url: "/hooks?team=7", body, headers: { "x-more": "1" } });
    const { headers } = one ?? { headers: {} };
    // A compressed answer could not be shown.
    expect(headers).not.toHaveProperty("accept-encoding");
    expect(
      schemeOf(stripe).verify({ headers, body: Buffer.from(body) }, [SECRET], { now: Date.now() })
        .ok,
    ).toBe(true);
    expect(stdout()).toMatch(
      /\n207 {2}\d\d:\d\d:\d\d {2}charge\.refunded {2}127\.0\.0\.1:\d+\/hooks {2}\d+ ms\n$/,
    );
  });

  it("forwards a GitHub push to two apps, and answers the refusal of one of them", async () => {
    const [first, second] = [
      await openApp(),
      await openApp((response) => response.writeHead(422).end("no")),
    ];
    const { url, stdout } = await openListener([first.url, second.url], [], { provider: "github" });
    const push = '{"ref":"refs/heads/main","commits":[]}';
    const { headers } = schemeOf(github).sign({ body: Buffer.from(push) }, [SECRET]);
    const sent = { ...headers, "x-github-event": "push", "x-github-delivery": "7" };
    const answer = await fetch(url, { method: "POST", headers: sent, body: push });
    expect([answer.status, await answer.text()]).toEqual([422, "no"]);
    expect([first.got, second.got].map(([one]) => one?.body)).toEqual([push, push]);
    expect(stdout()).toMatch(/^204 {2}.* push {2}/m);
    expect(stdout()).toMatch(/^422 {2}.* push {2}.* status-422$/m);
  });

  it.each([
    ["another endpoint's secret", { secret: "whsec_a-secret-of-another-endpoint" }, "secret-other"],
    ["a clock that is off", { at: Date.now() - 3_600_000 }, "timestamp-too-old"],
  ])("names %s as the cause of a refusal", async (_, how, cause) => {
    const app = await openApp((response) => response.writeHead(401).end());
    const { url, stdout } = await openListener([app.url]);
    await post(url, how);
    expect(stdout()).toContain(`  ${cause}\n`);
    expect(stdout()).toMatch(/^ {2}fix: .{20}/m);
  });

  it("prints the cause and the fix that the app's answer states", async () => {
    const fix = "register it first";
    const app = await openApp((response) =>
      response.writeHead(500).end(JSON.stringify({ code: "CS_BODY_CONSUMED", fix })),
    );
    const { url, stdout } = await openListener([app.url]);
    await post(url);
    expect(stdout()).toContain("  CS_BODY_CONSUMED\n  cause: CS_BODY_CONSUMED: a parser has read");
    expect(stdout()).toContain(`  fix: ${fix}\n`);
  });

  it("warns of an app that accepts an attempt whose signature does not verify", async () => {
    const app = await openApp();
    const { url, stdout } = await openListener([app.url]);
    await post(url, { secret: "whsec_a-secret-of-another-endpoint" });
    expect(stdout()).toMatch(/^204 .* accepted-unverified\n.*secret-other/m);
  });

  it("answers 502 and goes on if the app is not running", async () => {
    const { url, stdout } = await openListener(["http://127.0.0.1:9/"]);
    expect((await post(url)).status).toBe(502);
    expect(stdout()).toContain("CS_ATTEMPT_CONNECTION_FAILED\n");
  });

  it("keeps no credentials, in files that only their owner can read", async () => {
    const app = await openApp((response) =>
      response.writeHead(204, { "set-cookie": "sid=of-the-app" }).end(),
    );
    const { url, database, end, stdout, stderr } = await openListener([app.url]);
    await post(`${url}/?verify_token=of-the-query`, {
      headers: { authorization: "Bearer of-the-header", cookie: "sid=of-the-sender" },
    });
    expect(app.got[0]?.headers).toMatchObject({ authorization: "Bearer of-the-header" });
    for (const file of [database, `${database}-wal`]) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file).toString("latin1")).not.toMatch(
        /of-the-(?:app|query|header|sender)/,
      );
    }
    await end();
    expect(stdout() + stderr()).not.toContain(SECRET.slice(0, 14));
  });

  it("keeps the latest events over restarts, and writes nothing with --keep 0", async () => {
    const app = await openApp();
    const { url, start, end } = await openListener([app.url], ["--keep", "2"]);
    for (const id of ["evt_1", "evt_2", "evt_3"])
      await post(url, { text: body.replace("evt_1", id) });
    await end();
    const call = await openSession(told(await start(), "inspector"));
    const { rows } = await call("GET", "/sandbox/inspect/events");
    // `constructor` is a member of every object, not a tab: it filters nothing.
    const any = await call("GET", "/sandbox/inspect/events?tab=constructor");
    expect(any).toMatchObject({ rows });
    expect(rows).toMatchObject([{ subject: "evt_3" }, { subject: "evt_2" }]);

    const none = await openListener([app.url], ["--keep", "0"]);
    await post(none.url);
    expect(existsSync(none.database)).toBe(false);
  });

  it("shows personal members of bodies only on request", async () => {
    const { url, stderr } = await openListener([(await openApp()).url]);
    await post(url);
    const call = await openSession(told({ stderr }, "inspector"));
    const closed = JSON.stringify(await call("GET", "/sandbox/inspect/events/1"));
    expect(closed).toContain("10.50");
    expect(closed).not.toMatch(/Zoe|example\.com/);
    const steps = await call("POST", "/sandbox/inspect/signatures", {
      deliveryId: "1",
      attempt: 1,
    });
    expect(steps).toMatchObject({ verdict: "genuine" });
    expect(JSON.stringify(steps)).not.toMatch(/Zoe|example\.com/);
    const open = JSON.stringify(await call("GET", "/sandbox/inspect/events/1?reveal=true"));
    expect(open).toContain("Zoe Doe");
  });

  it("signs again what it resends, and gives a changed copy a new id", async () => {
    const app = await openApp();
    const { url, stderr } = await openListener([app.url]);
    await post(url, { at: Date.now() - 3_600_000 });
    const call = await openSession(told({ stderr }, "inspector"));
    await call("POST", "/sandbox/deliveries/1/replay", {});
    const text = body.replace("10.50", "500.00");
    const { id } = await call("POST", "/sandbox/events", { deliveryId: "1", text });
    const verdicts = app.got.map(
      ({ headers, body: bytes }) =>
        schemeOf(stripe).verify({ headers, body: Buffer.from(bytes) }, [SECRET], {
          now: Date.now(),
        }).ok,
    );
    expect(verdicts).toEqual([false, true, true]);
    expect(app.got[1]?.body).toBe(body);
    expect(app.got[2]?.body).toContain('"amount":500.00');
    expect(app.got[2]?.body).not.toContain('"evt_1"');
    expect(id).not.toBe("1");
  });

  it("shows its page only to who has the key, and to no other site", async () => {
    const { stderr } = await openListener([(await openApp()).url]);
    const { origin } = new URL(told({ stderr }, "inspector"));
    expect((await fetch(`${origin}/inspector/api/sandbox/inspect/events`)).status).toBe(401);
    const own = { "content-type": "application/json", origin, "sec-fetch-site": "same-origin" };
    const guessed = { method: "POST", headers: { ...own, "x-inspector-key": "guess" } };
    expect((await fetch(`${origin}/inspector/session`, guessed)).status).toBe(401);
    const other = { headers: { origin: "https://evil.example" } };
    expect((await fetch(`${origin}/inspector/api/sandbox/inspect`, other)).status).toBe(403);
  });

  it("shows the events of several providers on each page, and sends only its own provider's again", async () => {
    const app = await openApp();
    const { url, database } = await openListener([app.url]);
    await post(url);
    const more = ["--provider", "github", "--forward-to", app.url, "--database", database];
    const other = await serveHere(["listen", ...more, "--port", "0"], {
      COUNTERSIGN_SECRET: SECRET,
    });
    const call = await openSession(told(other, "inspector"));
    expect(await call("GET", "/sandbox/inspect")).toMatchObject({ providers: ["stripe"] });
    const { rows } = await call("GET", "/sandbox/inspect/events?provider=stripe");
    expect(rows).toMatchObject([{ provider: "stripe", type: "charge.refunded" }]);
    expect(await call("POST", "/sandbox/deliveries/1/replay", {})).toMatchObject({
      errorDetails: { errorMessage: containing("Run countersign listen --provider stripe") },
    });
    expect(app.got).toHaveLength(1);
  });

  it("needs the public URL of a provider that signs it", async () => {
    const args = ["listen", "--provider", "twilio", "--forward-to", "localhost:1"];
    const failed = await ran(args, { COUNTERSIGN_SECRET: "a-token-that-is-long-enough-for-it" });
    expect(failed).toMatchObject({
      status: 2,
      err: containing("name it with --url https://YOUR-TUNNEL/PATH"),
    });
  });
});

it("a body is compared with the schema of its type in the document of --openapi", async () => {
  const data = { type: "object", required: ["orderId"] };
  const document = await readDocument(openApi({ "order.paid": eventBody("order.paid", data) }));
  const found = (text: string) =>
    findingsOf(standardWebhooks, document, { type: "order.paid", body: Buffer.from(text) });
  const faults = [{ pointer: "/data", message: "must have required property 'orderId'" }];
  expect(found('{"id":"1","type":"order.paid","data":{}}')).toMatchObject({ faults });
  expect(found('{"id":"1","type":"order.paid","data":{"orderId":1}}')).toMatchObject({
    faults: [],
  });
});
