import { profiles } from "@countersign/schemas/profiles";
import { standardWebhooks } from "@countersign/signatures";
import { describe, expect, it } from "vitest";
import { curlOf, signatureLines, testOf } from "../../packages/inspector/src/events/snippets.ts";
import { KEY, openInspector, type OpenInspector, SECRET, TOKEN } from "./open-inspector.ts";
import { send, session } from "./page-calls.ts";

const LINK_LOCAL = "http://169.254.169.254/";
const CLOSED_PORT = "http://127.0.0.1:1/";

/** Posts as the page does. */
async function poster(
  one: OpenInspector,
): Promise<(path: string, body: object) => ReturnType<typeof send>> {
  const headers = await session(one);
  return (path, body) =>
    send(one, `POST /inspector/api${path}`, { headers, body: JSON.stringify(body) });
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
  it("C5 are sent to addresses of this machine only by endpoints and replays, and by checks only to the command line's", async () => {
    const ran: string[] = [];
    const one = await openInspector({
      checksOf: ({ url }) => ({
        owed: () => Promise.resolve([]),
        run: () => {
          ran.push(url);
          return Promise.resolve({});
        },
      }),
    });
    const { deliveryId } = await deliverOne(one);
    const post = await poster(one);
    const subscribe = (members: object) =>
      post("/sandbox/inspect/endpoints", { subscriptionDetails: { type: "ALL" }, ...members });
    const names =
      "evil.test 169.254.169.254 10.0.0.1 127.0.0.1.evil.test localhost.evil.test [fe80::1] 0.0.0.0";
    // https too, which the service itself accepts.
    const urls = names.split(" ").flatMap((name) => [`http://${name}/`, `https://${name}/`]);
    const odd = [
      "http://localhost@evil.test/",
      "file://localhost/etc/passwd",
      "javascript:1",
      "x",
      "",
    ];
    for (const url of [LINK_LOCAL, ...urls, ...odd])
      expect([url, (await subscribe({ url })).status]).toEqual([url, 400]);
    expect((await subscribe({ url: CLOSED_PORT })).status).toBe(201);
    expect((await post("/v1/webhook/subscribe", { url: CLOSED_PORT })).status).toBe(404);
    expect((await subscribe({})).status).toBe(201);

    const replay = `/sandbox/deliveries/${deliveryId}/replay`;
    expect((await post(replay, { url: CLOSED_PORT })).status).toBe(400);
    expect((await post(replay, {})).status).toBe(202);
    await expect.poll(() => one.arrived.length).toBe(2);

    const checks = "/sandbox/inspect/checks";
    expect((await post(checks, { url: LINK_LOCAL })).status).toBe(400);
    expect((await post(checks, { target: { url: CLOSED_PORT } })).status).toBe(400);
    expect(ran).toEqual([]);
    expect((await post(checks, {})).status).toBe(202);
    expect(ran).toEqual([one.receiverUrl]);
  });

  it("C6 reach the page, a shell and a copied test without characters that control a terminal", async () => {
    const one = await openInspector();
    const codes = Array.from({ length: 32 }, (_, index) => [index, 127 + index]).flat();
    const controls = String.fromCodePoint(...codes, 159, 0x202e, 0x2066);
    const data = { id: controls, [controls]: controls };
    const made = await one.api("POST", "/sandbox/events", { type: "account.linked", data });
    const { id, payload } = made.body as { id: string; payload: string };
    const { cookie = "" } = await session(one);
    const path = `GET /inspector/api/sandbox/inspect/events/${id}`;
    const { text } = await send(one, path, { headers: { cookie } });
    // C0, which every terminal obeys, is escaped twice: in the payload and in the answer around it.
    expect(text).not.toMatch(/(?!\n)\p{Cc}(?<![\x7F-\x9F])/u);

    const event = { id, type: "account.linked", payload };
    const headers = { "webhook-id": id, "x-odd": controls.slice(1) };
    const key = { form: "base64 after whsec_", bytes: 24, fingerprint: "" };
    const curl = curlOf({ url: one.receiverUrl, headers, body: payload });
    const lines = signatureLines({ key, signedText: controls }, profiles.standard.signature);
    const copies = [curl, testOf(event, profiles.standard.signature)];
    for (const copied of [...copies, ...lines.map(({ text: line }) => line)])
      expect(copied).toMatch(/^[\n\x20-\x7E]+$/);
  });

  it("C7 never contain the token, the key or a secret, except a new endpoint's once", async () => {
    const one = await openInspector();
    const { deliveryId, eventId } = await deliverOne(one);
    const post = await poster(one);
    const headers = await session(one);
    const added = await post("/sandbox/inspect/endpoints", {
      url: CLOSED_PORT,
      subscriptionDetails: { type: "ALL" },
    });
    const { secretKey } = JSON.parse(added.text) as { secretKey: string };
    expect(secretKey).toMatch(/^whsec_.{44}$/);
    const names = ["inspect", "inspect/events", `inspect/events/${eventId}`, "inspect/endpoints"];
    const paths = [...names, "inspect/search?q=whsec", "subscriptions", "merchants"];
    const answers = await Promise.all(
      paths.map((path) => send(one, `GET /inspector/api/sandbox/${path}`, { headers })),
    );
    const verified = await post("/sandbox/inspect/signatures", { deliveryId, attempt: 1 });
    expect(verified.text).toContain('"verdict":"genuine"');
    for (const secret of [TOKEN, KEY, SECRET, SECRET.slice(6), secretKey.slice(6)])
      for (const { text } of [...answers, verified]) expect(text).not.toContain(secret);
    // Its answer would contain the token of another namespace.
    expect((await post("/sandbox/merchants", {})).status).toBe(404);
  });

  it("have a signature of now to copy, and the explanation that a receiver reported for a refusal", async () => {
    const one = await openInspector();
    one.receiver.statusOf = () => 401;
    const { deliveryId, eventId } = await deliverOne(one);
    const explanation = ["The body was parsed and printed again. Verify the raw bytes."];
    await one.api("POST", "/sandbox/outcomes", { outcome: "rejected", explanation });
    const outcome = { outcome: "rejected", explanation };
    const headers = { connection: "keep-alive" };
    const attempt = { status: 401, outcome, isUnseen: false, responseHeaders: headers };
    // The attempt is recorded after its response.
    await expect
      .poll(async () => (await one.api("GET", `/sandbox/inspect/events/${eventId}`)).body)
      .toMatchObject({ deliveries: [{ status: "retrying", attempts: [attempt] }] });

    const signed = await one.api("POST", "/sandbox/inspect/signatures/now", { deliveryId });
    const request = signed.body as { url: string; headers: Record<string, string>; body: string };
    expect([request.url, request.body]).toEqual([one.receiverUrl, one.arrived[0]]);
    const message = { headers: request.headers, body: Buffer.from(request.body) };
    const verified = standardWebhooks().verify(message, [SECRET], { now: Date.now() });
    expect(verified).toMatchObject({ ok: true, id: eventId });
  });
});
