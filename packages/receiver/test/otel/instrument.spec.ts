import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createReceiver } from "@countersign/receiver";
import { instrument } from "@countersign/receiver/otel";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { describe, expect, it } from "vitest";
import { attemptOf, NOON, recordingReceiver, refundAuthorized, secret } from "../fixtures.ts";
import { api, asyncContextManager, metering, tracing } from "./telemetry.ts";

const { context, SpanKind, SpanStatusCode } = api;

const operation = {
  "messaging.system": "webhook",
  "messaging.operation.name": "process",
  "messaging.operation.type": "process",
  "messaging.destination.name": "webhooks",
};

describe("a traced receiver", () => {
  it("makes a consumer's span of each attempt, with the event that was verified", async () => {
    const { tracer, spans } = tracing();
    const { receiver } = recordingReceiver({
      secrets: () => ({ tenant: "shop-7", secrets: [secret] }),
    });
    const { outcome, response } = await instrument(receiver, { tracer }).answer(
      attemptOf(refundAuthorized()),
    );

    expect([outcome.kind, response.status]).toEqual(["handled", 204]);
    expect(spans()).toMatchObject([
      { name: "process webhooks", kind: SpanKind.CONSUMER, status: { code: SpanStatusCode.UNSET } },
    ]);
    expect(spans()[0]?.attributes).toEqual({
      ...operation,
      "messaging.message.id": "evt_refund1",
      "countersign.outcome": "handled",
      "countersign.event.type": "refund.authorized",
      "countersign.tenant": "shop-7",
    });
  });

  it("marks what is this service's fault as an error, by its code alone", async () => {
    const { tracer, spans } = tracing();
    const { receiver } = recordingReceiver();
    receiver.on("refund.authorized", () => Promise.reject(new Error("password=hunter2")));
    await instrument(receiver, { tracer }).receive(attemptOf(refundAuthorized()));

    expect(spans()[0]?.status).toEqual({
      code: SpanStatusCode.ERROR,
      message: "CS_HANDLER_FAILED",
    });
    expect(spans()[0]?.attributes["error.type"]).toBe("CS_HANDLER_FAILED");
    expect(spans()[0]?.events).toEqual([]);
  });

  it("does not mark a stranger's attempt as an error of this service", async () => {
    const { tracer, spans } = tracing();
    const { receiver } = recordingReceiver();
    await instrument(receiver, { tracer }).receive({ headers: {}, body: new Uint8Array() });

    expect(spans()[0]?.status.code).toBe(SpanStatusCode.UNSET);
    expect(spans()[0]?.attributes).toEqual({
      ...operation,
      "countersign.outcome": "rejected",
      "error.type": "CS_SIGNATURE_HEADER_MISSING",
    });
  });

  it("[R-LEAK-NOTHING] records nothing of body, headers or secret, and joins no stranger's trace", async () => {
    const { tracer, spans } = tracing();
    const { receiver } = recordingReceiver();
    const attempt = attemptOf(refundAuthorized());
    attempt.headers["traceparent"] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await instrument(receiver, { tracer }).receive(attempt);

    const [span] = spans();
    expect(span?.parentSpanContext).toBeUndefined();
    expect(span?.spanContext().traceId).not.toBe("0af7651916cd43dd8448eb211c80319c");
    expect(JSON.stringify(span?.attributes)).not.toMatch(/order-7|whsec_|v1,/);
  });

  it("is the parent of what a handler traces", async () => {
    context.setGlobalContextManager(asyncContextManager());
    try {
      const { tracer, spans } = tracing();
      const { receiver } = recordingReceiver();
      const traced = instrument(receiver, { tracer }).on("refund.authorized", async () => {
        await Promise.resolve();
        tracer.startSpan("book").end();
      });
      await traced.receive(attemptOf(refundAuthorized()));

      const [book, handle, process] = spans();
      expect([book?.name, handle?.name, process?.name]).toEqual([
        "book",
        "handle refund.authorized",
        "process webhooks",
      ]);
      expect(book?.parentSpanContext?.spanId).toBe(handle?.spanContext().spanId);
      expect(handle?.parentSpanContext?.spanId).toBe(process?.spanContext().spanId);
    } finally {
      context.disable();
    }
  });

  it("stays traced through on", async () => {
    const { tracer, spans } = tracing();
    const { receiver, handled } = recordingReceiver();
    const traced = instrument(receiver, { tracer }).on(
      "refund.authorized",
      (event) => void handled.push(event.data.paymentId),
    );
    await traced.receive(attemptOf(refundAuthorized()));
    expect(handled).toEqual(["ref_1"]);
    expect(spans().map(({ name }) => name)).toEqual([
      "handle refund.authorized",
      "process webhooks",
    ]);
  });

  it.each([
    [
      "throws",
      (): void => {
        throw new Error("password=hunter2");
      },
    ],
    ["rejects", (): Promise<void> => Promise.reject(new Error("password=hunter2"))],
  ])("ends the span of a handler that %s, without what it threw", async (_how, handler) => {
    const { tracer, spans } = tracing();
    const { receiver } = recordingReceiver();
    const traced = instrument(receiver, { tracer }).on("refund.authorized", handler);

    const outcome = await traced.receive(attemptOf(refundAuthorized()));

    expect(outcome).toMatchObject({ kind: "failed", code: "CS_HANDLER_FAILED" });
    expect(spans()[0]).toMatchObject({
      name: "handle refund.authorized",
      status: { code: SpanStatusCode.ERROR },
      events: [],
    });
    expect(spans()[0]?.status.message).toBeUndefined();
  });

  it("traces a handler that a worker runs", async () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-otel-"));
    const inbox = sqliteInbox(join(folder, "inbox.db"));
    try {
      const { tracer, spans } = tracing();
      const ran = Promise.withResolvers<string>();
      const receiver = createReceiver({
        secrets: [secret],
        fallback: () => undefined,
        inbox,
        acknowledge: "after-store",
        now: () => NOON,
      });
      const traced = instrument(receiver, { tracer }).on("refund.authorized", (event) =>
        ran.resolve(event.id),
      );
      traced.start();
      await traced.receive(attemptOf(refundAuthorized()));
      expect(await ran.promise).toBe("evt_refund1");
      await traced.stop();

      expect(spans().map(({ name }) => name)).toEqual(
        expect.arrayContaining(["process webhooks", "handle refund.authorized"]),
      );
    } finally {
      inbox.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("leaves the complaint about a handler that is no function to the receiver", () => {
    const { tracer } = tracing();
    const traced = instrument(recordingReceiver().receiver, { tracer });
    expect(() => traced.on("refund.failed", {} as () => void)).toThrow(/must be a function/);
  });
});

describe("a measured receiver", () => {
  it("counts and times each attempt by destination, type and code", async () => {
    const { meter, points } = metering();
    const { receiver } = recordingReceiver();
    const measured = instrument(receiver, { meter, destination: "refunds" });
    await measured.answer(attemptOf(refundAuthorized()));
    await measured.receive(attemptOf(refundAuthorized("evt_2")));
    await measured.receive(attemptOf(refundAuthorized(), { now: NOON - 301_000 }));

    const base = { ...operation, "messaging.destination.name": "refunds" };
    const handled = {
      ...base,
      "countersign.outcome": "handled",
      "countersign.event.type": "refund.authorized",
    };
    const rejected = {
      ...base,
      "countersign.outcome": "rejected",
      "error.type": "CS_SIGNATURE_TIMESTAMP_TOO_OLD",
    };
    expect(await points()).toEqual([
      {
        name: "messaging.process.duration",
        unit: "s",
        attributes: handled,
        value: expect.objectContaining({ count: 2 }) as unknown,
      },
      {
        name: "messaging.process.duration",
        unit: "s",
        attributes: rejected,
        value: expect.objectContaining({ count: 1 }) as unknown,
      },
      {
        name: "countersign.receiver.outcomes",
        unit: "{outcome}",
        attributes: handled,
        value: 2,
      },
      {
        name: "countersign.receiver.outcomes",
        unit: "{outcome}",
        attributes: rejected,
        value: 1,
      },
    ]);
  });

  it("is refused without a tracer and a meter", () => {
    expect(() => instrument(recordingReceiver().receiver, {})).toThrow(TypeError);
  });
});
