import { createReceiver, memoryInbox, type ReceiverOptions } from "@countersign/receiver";
import { meta } from "@countersign/receiver/providers";
import { signedAttempt } from "@countersign/receiver/testing";
import type { EventTypeMap } from "@countersign/schemas";
import { describe, expect, it } from "vitest";
import { attemptOf, NOON, refundAuthorized, secret } from "../fixtures.ts";
import { listenInTest, mounted } from "./mounted.ts";
import { mounts } from "./mounts.ts";
import { chunk, codeOf, exchange, linesOf, post, request } from "./wire.ts";

const event = refundAuthorized();
const genuine = attemptOf(event);
const { headers, body } = genuine;
const handledOnce = [`PAYMENT ${event.id}`];

// Requests and answers as each adapter passes them on. The receiver's decisions are tested without HTTP.
describe.each(mounts)("$name", (mount) => {
  it("assembles a body that arrives in chunks of one byte", async () => {
    const { port, handled } = await mounted(mount);
    const chunks = [...body].map((byte) => chunk(Uint8Array.of(byte)));
    const lines = [...linesOf(headers), "Transfer-Encoding: chunked"];
    expect((await exchange(port, request(lines), ...chunks, chunk())).status).toBe(204);
    expect(handled).toEqual(handledOnce);
  });

  it("reads headers named like members of a prototype, and shows none that was not sent", async () => {
    const asked: object[] = [];
    const secrets: ReceiverOptions<EventTypeMap>["secrets"] = (request_) => {
      asked.push(request_.headers);
      return { tenant: "", secrets: [secret] };
    };
    const { port, handled } = await mounted(mount, { secrets });
    const lines = ["__proto__: polluted", "constructor: polluted", "get: polluted"];
    expect((await post(port, genuine)).status).toBe(204);
    expect((await post(port, genuine, ...lines)).status).toBe(204);
    expect(handled).toEqual(handledOnce);
    expect("polluted" in {}).toBe(false);
    // The Web's `Headers` have methods.
    if (mount.name.startsWith("toFetch")) return;
    expect(asked.map((given) => Reflect.get(given, "constructor") as unknown)).toEqual([
      undefined,
      expect.stringContaining("polluted"),
    ]);
  });

  it("passes the path without its query to the secrets function", async () => {
    const paths: unknown[] = [];
    const { port } = await mounted(mount, {
      secrets: ({ path }) => (paths.push(path), { tenant: "", secrets: [secret] }),
    });
    await exchange(port, request(linesOf(headers, body), body, { target: "/webhooks?x=1" }));
    expect(paths).toEqual(["/webhooks"]);
  });

  it.runIf(mount.seesDuplicates).each([
    ["webhook-id", 401],
    ["webhook-timestamp", 401],
    ["webhook-signature", 401],
    ["content-type", 415],
    ["content-encoding", 415],
  ])(
    "A12: [R-HEADER-ONCE] refuses a request with two %s headers, equal or not",
    async (name, status) => {
      const { port, handled } = await mounted(mount);
      const all: Record<string, string> = { "content-encoding": "identity", ...headers };
      const value = all[name] ?? "";
      const lines = linesOf(all, body);
      for (const second of [value, `${value}0`, "", "x"])
        for (const twice of [
          [...lines, `${name}: ${second}`],
          [`${name}: ${second}`, ...lines],
        ])
          expect((await exchange(port, request(twice, body))).status).toBe(status);
      expect(handled).toEqual([]);
    },
  );

  it("[R-BODY-ENCODED] A22: refuses encoded bodies and disguised media types with 415", async () => {
    const { port, handled } = await mounted(mount);
    const encoded = await post(port, genuine, "Content-Encoding: gzip");
    expect([encoded.status, codeOf(encoded)]).toEqual([415, "CS_BODY_ENCODED"]);
    const disguised = { ...headers, "content-type": "text/plain, application/json" };
    expect((await post(port, { headers: disguised, body })).status).toBe(415);
    expect(handled).toEqual([]);
  });

  it("A20: [R-BODY-SIZE] reads a body of limits.bodyBytes and answers 413 to a longer one", async () => {
    const limit = 4000;
    const { port } = await mounted(mount, { limits: { bodyBytes: limit } });
    for (const [bytes, status] of [
      [limit, 204],
      [limit + 1, 413],
    ] as const) {
      const attempt = attemptOf(JSON.stringify(event).padEnd(bytes), { id: event.id });
      expect((await post(port, attempt)).status).toBe(status);
      const signed = [...linesOf(attempt.headers), "Transfer-Encoding: chunked"];
      expect((await exchange(port, request(signed), chunk(attempt.body), chunk())).status).toBe(
        status,
      );
    }
  });

  it("answers a handshake by GET, whose query it passes on, and hands over its events", async () => {
    const receiver = createReceiver({
      provider: meta,
      secrets: [secret],
      verifyToken: "a b&c",
      fallback: () => undefined,
      inbox: memoryInbox(),
      log: false,
    });
    const { port } = await listenInTest(await mount.serve(receiver));
    const query = "hub.mode=subscribe&hub.challenge=7%2B8&hub.verify_token=a%20b%26c";
    const url = `http://127.0.0.1:${String(port)}/webhooks`;
    const reply = await fetch(`${url}?${query}`);
    expect([reply.status, await reply.text()]).toEqual([200, "7+8"]);
    expect((await fetch(`${url}?${query}d`)).status).toBe(405);
    const sent = signedAttempt({ provider: meta, secrets: [secret], event: { entry: [] } });
    expect((await post(port, sent)).status).toBe(200);
  });

  it("sends the headers of respond, and no body with 204", async () => {
    const { port } = await mounted(mount, {
      respond: () => ({ status: 204, headers: { "x-event": "evt" }, body: "done" }),
      now: () => NOON,
    });
    const reply = await post(port, genuine);
    expect([reply.status, reply.headers.get("x-event"), reply.body]).toEqual([204, "evt", ""]);
  });
});
