import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { instrument } from "@countersign/receiver/otel";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { attemptOf, NOON, recordingReceiver, refundAuthorized, secret } from "../fixtures.ts";
import { api, asyncContextManager, metering, tracing } from "./telemetry.ts";

const { context, SpanKind, SpanStatusCode } = api;
const genuine = attemptOf(refundAuthorized());

const operation = {
  "messaging.system": "webhook",
  "messaging.operation.name": "process",
  "messaging.operation.type": "process",
  "messaging.destination.name": "webhooks",
};

/** A traced receiver, with its recording. */
function traced(options?: Parameters<typeof recordingReceiver>[0]) {
  const { tracer, spans } = tracing();
  const recording = recordingReceiver(options);
  return { tracer, spans, ...recording, receiver: instrument(recording.receiver, { tracer }) };
}

describe("instrument with a tracer", () => {
  it("makes a consumer span of each attempt, with the verified event", async () => {
    const { receiver, spans } = traced({
      secrets: () => ({ tenant: "shop-7", secrets: [secret] }),
    });
    const { outcome, response } = await receiver.answer(genuine);
    expect([outcome.kind, response.status]).toEqual(["handled", 204]);
    const processed = spans().at(-1);
    expect(processed).toMatchObject({
      name: "process webhooks",
      kind: SpanKind.CONSUMER,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(processed?.attributes).toEqual({
      ...operation,
      "messaging.message.id": "evt_refund1",
      "countersign.outcome": "handled",
      "countersign.event.type": "refund.authorized",
      "countersign.tenant": "shop-7",
    });
  });

  it.each([
    [
      "throws",
      (): void => {
        throw new Error("password=hunter2");
      },
    ],
    ["rejects", (): Promise<void> => Promise.reject(new Error("password=hunter2"))],
  ])("marks both spans as errors without the message if a handler %s", async (_how, handler) => {
    const { receiver, spans } = traced();
    const outcome = await receiver.on("refund.authorized", handler).receive(genuine);
    expect(outcome).toMatchObject({ kind: "failed", code: "CS_HANDLER_FAILED" });
    const [handle, processed] = spans();
    expect(handle).toMatchObject({
      name: "handle refund.authorized",
      status: { code: SpanStatusCode.ERROR },
      events: [],
    });
    expect(handle?.status.message).toBeUndefined();
    expect(processed?.status).toEqual({ code: SpanStatusCode.ERROR, message: "CS_HANDLER_FAILED" });
    expect(processed?.attributes["error.type"]).toBe("CS_HANDLER_FAILED");
    expect(processed?.events).toEqual([]);
  });

  it("does not mark a stranger's attempt as an error of this service", async () => {
    const { receiver, spans } = traced();
    await receiver.receive({ headers: {}, body: new Uint8Array() });
    expect(spans()[0]?.status.code).toBe(SpanStatusCode.UNSET);
    expect(spans()[0]?.attributes).toEqual({
      ...operation,
      "countersign.outcome": "rejected",
      "error.type": "CS_SIGNATURE_HEADER_MISSING",
    });
  });

  it("[R-LEAK-NOTHING] records no body, header or secret, and joins no stranger's trace", async () => {
    const { receiver, spans } = traced();
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const headers = { ...genuine.headers, traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    await receiver.receive({ ...genuine, headers });
    const span = spans().at(-1);
    expect(span?.parentSpanContext).toBeUndefined();
    expect(span?.spanContext().traceId).not.toBe(traceId);
    expect(JSON.stringify(span?.attributes)).not.toMatch(/order-7|whsec_|v1,/);
  });

  it("makes its spans the parents of a handler's own spans", async () => {
    context.setGlobalContextManager(asyncContextManager());
    onTestFinished(() => context.disable());
    const { receiver, tracer, spans } = traced();
    receiver.on("refund.authorized", async () => {
      await Promise.resolve();
      tracer.startSpan("book").end();
    });
    await receiver.receive(genuine);
    const names = spans().map(({ name }) => name);
    expect(names).toEqual(["book", "handle refund.authorized", "process webhooks"]);
    const [book, handle, processed] = spans();
    expect(book?.parentSpanContext?.spanId).toBe(handle?.spanContext().spanId);
    expect(handle?.parentSpanContext?.spanId).toBe(processed?.spanContext().spanId);
  });

  it("traces a handler that a worker runs", async () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-otel-"));
    const inbox = sqliteInbox(join(folder, "inbox.db"));
    onTestFinished(() => {
      inbox.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const { receiver, spans } = traced({ inbox, acknowledge: "after-store" });
    const ran = Promise.withResolvers<string>();
    receiver.on("refund.authorized", ({ id }) => ran.resolve(id)).start();
    await receiver.receive(genuine);
    expect(await ran.promise).toBe("evt_refund1");
    await receiver.stop();
    const names = spans().map(({ name }) => name);
    expect(names.toSorted()).toEqual(["handle refund.authorized", "process webhooks"]);
  });

  it("leaves the error about a handler that is not a function to the receiver", () => {
    const { receiver } = traced();
    expect(() => receiver.on("refund.failed", {} as () => void)).toThrow(/must be a function/);
  });
});

describe("instrument with a meter", () => {
  it("counts and times each attempt by destination, type and code", async () => {
    const { meter, points } = metering();
    const receiver = instrument(recordingReceiver().receiver, { meter, destination: "refunds" });
    await receiver.answer(genuine);
    await receiver.receive(attemptOf(refundAuthorized("evt_2")));
    await receiver.receive(attemptOf(refundAuthorized(), { now: NOON - 301_000 }));

    const base = { ...operation, "messaging.destination.name": "refunds" };
    const series = [
      {
        count: 2,
        attributes: {
          ...base,
          "countersign.outcome": "handled",
          "countersign.event.type": "refund.authorized",
        },
      },
      {
        count: 1,
        attributes: {
          ...base,
          "countersign.outcome": "rejected",
          "error.type": "CS_SIGNATURE_TIMESTAMP_TOO_OLD",
        },
      },
    ];
    const name = "messaging.process.duration";
    expect(await points()).toEqual([
      ...series.map(({ count, attributes }) => {
        const value = expect.objectContaining({ count }) as unknown;
        return { name, unit: "s", attributes, value };
      }),
      ...series.map(({ count: value, attributes }) => {
        return { name: "countersign.receiver.outcomes", unit: "{outcome}", attributes, value };
      }),
    ]);
  });
});

it("instrument without a tracer and a meter throws a TypeError", () => {
  expect(() => instrument(recordingReceiver().receiver, {})).toThrow(TypeError);
});
