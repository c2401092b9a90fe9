import { fileURLToPath } from "node:url";
import { type FetchRequest, toFetch } from "@countersign/receiver/fetch";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { listen, mounts } from "./mounts.ts";
import { exchange, linesOf, request as bytesOf } from "./wire.ts";

const { headers, body } = attemptOf(refundAuthorized());

/** A plain Request with a stream for its body. */
const streaming = (stream: ReadableStream, more: Record<string, string> = {}): Request =>
  new Request("http://localhost/webhooks?x=1", {
    method: "POST",
    headers: { ...headers, ...more },
    body: stream,
    duplex: "half",
    // Node's types have no `duplex`, which its `Request` demands of a stream.
  } as RequestInit);

describe("a plain Request", () => {
  it("is answered with a plain Response", async () => {
    const { receiver, handled } = recordingReceiver();
    const request = new Request("http://localhost/", {
      method: "POST",
      headers,
      body: Buffer.from(body),
    });
    const response = await toFetch(receiver)(request);
    expect(response).toBeInstanceOf(Response);
    expect([response.status, response.body]).toEqual([204, null]);
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });

  it("without a body has no bytes", async () => {
    const { receiver } = recordingReceiver();
    const signed = attemptOf("", { id: "evt_1" });
    const request = new Request("http://localhost/", { method: "POST", headers: signed.headers });
    const response = await toFetch(receiver)(request);
    expect([response.status, await response.json()]).toEqual([400, { code: "CS_BODY_NOT_JSON" }]);
  });

  it("that is refused by its headers is not read", async () => {
    const { receiver } = recordingReceiver();
    const request = streaming(new ReadableStream(), { "content-encoding": "gzip" });
    expect((await toFetch(receiver)(request)).status).toBe(415);
    expect(request.bodyUsed).toBe(false);
  });

  it.each([
    [413, "CS_BODY_TOO_LARGE", (stream: Stream) => stream.enqueue(new Uint8Array(1001))],
    [408, "CS_BODY_TIMEOUT", (stream: Stream) => stream.enqueue(new Uint8Array(1))],
  ])("is answered %i %s, and what is left of it is cancelled", async (status, code, pull) => {
    const { receiver } = recordingReceiver({ limits: { bodyBytes: 1000, bodyMs: 30 } });
    let pulls = 0;
    let cancelled = false;
    const request = streaming(
      new ReadableStream({
        pull: (controller) =>
          (pulls += 1) === 1 ? pull(controller) : new Promise(() => undefined),
        cancel: () => void (cancelled = true),
      }),
    );
    const response = await toFetch(receiver)(request);
    expect([response.status, await response.json()]).toEqual([status, { code }]);
    expect(cancelled).toBe(true);
  });

  it("whose stream cannot be cancelled is answered all the same", async () => {
    const { receiver } = recordingReceiver({ limits: { bodyBytes: 1 } });
    const request = streaming(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(2)),
        cancel: () => Promise.reject(new Error("not now")),
      }),
    );
    expect((await toFetch(receiver)(request)).status).toBe(413);
  });

  it("whose sender goes away runs no handler", async () => {
    const { receiver, handled, outcomes } = recordingReceiver();
    const request = streaming(
      new ReadableStream({
        start(controller) {
          controller.enqueue(body.subarray(0, 50));
          setTimeout(() => controller.error(new Error("aborted")), 5);
        },
      }),
    );
    expect((await toFetch(receiver)(request)).status).toBe(400);
    expect(outcomes).toEqual([{ kind: "rejected", code: "CS_BODY_ABORTED" }]);
    expect(handled).toEqual([]);
  });

  it("[R-BODY-CONSUMED] whose stream holds decoded text is a coded 500", async () => {
    const { receiver } = recordingReceiver();
    const decoded: FetchRequest = {
      method: "POST",
      url: "http://localhost/",
      headers: new Headers(headers),
      bodyUsed: false,
      body: new ReadableStream({ start: (controller) => controller.enqueue("text") }),
    };
    expect((await toFetch(receiver)(decoded)).status).toBe(500);
  });
});

it("[R-BODY-CONSUMED] a body that a runtime calls used is a coded 500, whatever its stream says", async () => {
  const { receiver } = recordingReceiver();
  const used: FetchRequest = {
    method: "POST",
    url: "http://localhost/",
    headers: new Headers(headers),
    bodyUsed: true,
    body: new ReadableStream({ start: (controller) => controller.close() }),
  };
  expect((await toFetch(receiver)(used)).status).toBe(500);
});

it("a request that its runtime cannot read is refused with a code, and is no failure of the receiver", async () => {
  const { receiver, outcomes } = recordingReceiver();
  const hono = mounts.find(({ name }) => name === "toFetch on Hono");
  const server = await hono?.serve(receiver);
  if (server === undefined) throw new Error("nothing is mounted on Hono");
  const listening = await listen(server);
  try {
    const sent = bytesOf(linesOf(headers, body), body, { host: "1".repeat(400) });
    expect((await exchange(listening.port, sent)).status).toBe(400);
    expect(outcomes).toEqual([{ kind: "rejected", code: "CS_REQUEST_UNREADABLE" }]);
  } finally {
    listening.close();
  }
});

type Stream = ReadableStreamDefaultController<Uint8Array>;

it("the adapter imports nothing of Node, and names nothing that only Node has", async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../../src/adapters/fetch.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    logLevel: "silent",
  });
  const code = outputFiles[0]?.text ?? "";
  expect(code).toContain("toFetch");
  expect(code).not.toMatch(/node:|\bBuffer\b|\bimport\b|\brequire\b/);
});
