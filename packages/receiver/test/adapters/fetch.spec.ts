import { fileURLToPath } from "node:url";
import { type FetchRequest, toFetch } from "@countersign/receiver/fetch";
import { build } from "esbuild";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { mounted } from "./mounted.ts";
import { mounts } from "./mounts.ts";
import { exchange, linesOf, request as bytesOf } from "./wire.ts";

const { headers, body } = attemptOf(refundAuthorized());

/** A Web `Request` with a body of bytes or a stream. */
const requestOf = (sent?: Uint8Array | ReadableStream, more: object = {}): Request =>
  new Request("http://localhost/webhooks?x=1", {
    method: "POST",
    headers: { ...headers, ...more },
    ...(sent === undefined ? {} : { body: sent, duplex: "half" }),
    // Node's types have no `duplex`, which its `Request` demands of a stream.
  } as RequestInit);

/** A request that no platform checks. */
const rawRequest = (bodyUsed: boolean, stream: ReadableStream): FetchRequest => ({
  method: "POST",
  url: "http://localhost/",
  headers: new Headers(headers),
  bodyUsed,
  body: stream,
});

describe("toFetch", () => {
  it("answers a Request with a Response, also without a body", async () => {
    const { receiver, handled } = recordingReceiver();
    const response = await toFetch(receiver)(requestOf(Buffer.from(body)));
    expect(response).toBeInstanceOf(Response);
    expect([response.status, response.body]).toEqual([204, null]);
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
    const empty = requestOf(undefined, attemptOf("", { id: "evt_1" }).headers);
    const refused = await toFetch(receiver)(empty);
    expect([refused.status, await refused.json()]).toEqual([400, { code: "CS_BODY_NOT_JSON" }]);
  });

  it("assembles a body of any chunks and views, writes to none, and leaves no timer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { receiver } = recordingReceiver({ onIdReuse: "duplicate" });
    const answer = toFetch(receiver);
    // Chunks from 16 KiB on are kept as they are, smaller ones are copied.
    const size = fc.oneof(
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 16_300, max: 16_500 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(size, { minLength: 1, maxLength: 12 }), async (sizes) => {
        const total = sizes.reduce((sum, one) => sum + one, 0);
        const attempt = attemptOf(JSON.stringify(refundAuthorized()).padEnd(total), {
          id: "evt_refund1",
        });
        const sent = Buffer.from(attempt.body);
        let at = 0;
        const stream = new ReadableStream({
          pull(controller) {
            if (at >= sent.length) return controller.close();
            const end = at + (sizes.shift() ?? sent.length);
            const part = sent.subarray(at, end);
            controller.enqueue(new DataView(part.buffer, part.byteOffset, part.length));
            at = end;
          },
        });
        expect((await answer(requestOf(stream, attempt.headers))).status).toBe(204);
        expect(sent.equals(attempt.body)).toBe(true);
        expect(vi.getTimerCount()).toBe(0);
      }),
    );
  });

  it("does not read a body that it refuses by its headers", async () => {
    const { receiver } = recordingReceiver();
    const request = requestOf(new ReadableStream(), { "content-encoding": "gzip" });
    expect((await toFetch(receiver)(request)).status).toBe(415);
    expect(request.bodyUsed).toBe(false);
  });

  it.each([
    [413, "CS_BODY_TOO_LARGE", 1001],
    [408, "CS_BODY_TIMEOUT", 1],
  ])("answers %i %s and cancels the rest, even if that fails", async (status, code, size) => {
    const { receiver } = recordingReceiver({ limits: { bodyBytes: 1000, bodyMs: 30 } });
    let [pulls, cancelled] = [0, false];
    const stream = new ReadableStream({
      pull: (controller) =>
        (pulls += 1) === 1
          ? controller.enqueue(new Uint8Array(size))
          : new Promise(() => undefined),
      cancel: () => {
        cancelled = true;
        return Promise.reject(new Error("not now"));
      },
    });
    const response = await toFetch(receiver)(requestOf(stream));
    expect([response.status, await response.json()]).toEqual([status, { code }]);
    expect(cancelled).toBe(true);
  });

  it("runs no handler if the sender goes away", async () => {
    const { receiver, handled, outcomes } = recordingReceiver();
    const stream = new ReadableStream({
      start: (controller) => controller.enqueue(body.subarray(0, 50)),
      pull: (controller) => controller.error(new Error("aborted")),
    });
    expect((await toFetch(receiver)(requestOf(stream))).status).toBe(400);
    expect(outcomes).toEqual([{ kind: "rejected", code: "CS_BODY_ABORTED" }]);
    expect(handled).toEqual([]);
  });

  it("[R-BODY-CONSUMED] answers 500 to decoded text and to a body marked as used", async () => {
    vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    onTestFinished(() => void vi.restoreAllMocks());
    const { receiver } = recordingReceiver();
    const text = new ReadableStream({ start: (controller) => controller.enqueue("text") });
    const closed = new ReadableStream({ start: (controller) => controller.close() });
    for (const request of [rawRequest(false, text), rawRequest(true, closed)])
      expect((await toFetch(receiver)(request)).status).toBe(500);
  });

  it("refuses a request that its runtime cannot read with CS_REQUEST_UNREADABLE", async () => {
    const hono = mounts.find(({ name }) => name === "toFetch on Hono");
    if (hono === undefined) throw new Error("no mount on Hono");
    const { port, outcomes } = await mounted(hono);
    const sent = bytesOf(linesOf(headers, body), body, { host: "1".repeat(400) });
    expect((await exchange(port, sent)).status).toBe(400);
    expect(outcomes).toEqual([{ kind: "rejected", code: "CS_REQUEST_UNREADABLE" }]);
  });

  it("imports nothing of Node.js and uses none of its globals", async () => {
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
});
