import { telemetry } from "@countersign/receiver/otel";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  attemptOf,
  genuine,
  NOON,
  recordingReceiver,
  refundAttempt,
  refundAuthorized,
  secret,
} from "../fixtures.ts";
import { api, asyncContextManager, metering, tracing } from "./telemetry.ts";

const { context, SpanKind, SpanStatusCode } = api;

const operation = {
  "messaging.system": "webhook",
  "messaging.operation.name": "process",
  "messaging.operation.type": "process",
  "messaging.destination.name": "webhooks",
};

/** A traced receiver, with its recording. */
function traced(options?: Parameters<typeof recordingReceiver>[0]) {
  const { tracer, spans } = tracing();
  return { tracer, spans, ...recordingReceiver({ onOutcome: telemetry({ tracer }), ...options }) };
}

describe("telemetry with a tracer", () => {
  it("[R-LEAK-NOTHING] makes a consumer span of each attempt, with the verified event only, and joins no stranger's trace", async () => {
    const { receiver, spans } = traced({
      secrets: () => ({ tenant: "shop-7", secrets: [secret] }),
    });
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const headers = { ...genuine.headers, traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    await receiver.answer({ ...genuine, headers });
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
    expect(processed?.parentSpanContext).toBeUndefined();
    expect(processed?.spanContext().traceId).not.toBe(traceId);
  });

  it("marks the span as an error without the message if the handler throws", async () => {
    const { receiver, spans } = traced();
    await receiver
      .on("refund.authorized", () => {
        throw new Error("password=hunter2");
      })
      .receive(genuine);
    expect(spans()[0]).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: "CS_HANDLER_FAILED" },
      attributes: { "error.type": "CS_HANDLER_FAILED" },
      events: [],
    });
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

  it("makes its span a child of the request's span, as long as the attempt took", async () => {
    context.setGlobalContextManager(asyncContextManager());
    onTestFinished(() => context.disable());
    const { receiver, tracer, spans } = traced();
    receiver.on("refund.authorized", () => Promise.resolve());
    await tracer.startActiveSpan("POST", async (span) => {
      await receiver.receive(genuine);
      span.end();
    });
    const [processed, post] = spans();
    expect(processed?.parentSpanContext?.spanId).toBe(post?.spanContext().spanId);
    expect(processed?.duration[0]).toBe(0);
  });
});

describe("telemetry with a meter", () => {
  it("counts and times each attempt by destination, type and code", async () => {
    const { meter, points } = metering();
    const onOutcome = telemetry({ meter, destination: "refunds" });
    const { receiver } = recordingReceiver({ onOutcome });
    await receiver.answer(genuine);
    await receiver.receive(refundAttempt("evt_2"));
    await receiver.receive(attemptOf(refundAuthorized(), { now: NOON - 301_000 }));
    const base = { ...operation, "messaging.destination.name": "refunds" };
    const [type, code] = ["refund.authorized", "CS_SIGNATURE_TIMESTAMP_TOO_OLD"];
    const handled = { ...base, "countersign.outcome": "handled", "countersign.event.type": type };
    const rejected = { ...base, "countersign.outcome": "rejected", "error.type": code };
    const timed = { name: "messaging.process.duration", unit: "s" };
    const counted = { name: "countersign.receiver.outcomes", unit: "{outcome}" };
    expect(await points()).toMatchObject([
      { ...timed, attributes: handled, value: { count: 2 } },
      { ...timed, attributes: rejected, value: { count: 1 } },
      { ...counted, attributes: handled, value: 2 },
      { ...counted, attributes: rejected, value: 1 },
    ]);
  });

  it("makes no series of an id, a tenant or an unknown type, and names the types that it is given", async () => {
    const { meter, points } = metering();
    const onOutcome = telemetry({ meter, types: ["report.ready"] });
    const { receiver } = recordingReceiver({ onOutcome });
    for (const [index, type] of ["report.ready", "constructor", "report.late"].entries())
      await receiver.receive(attemptOf({ ...refundAuthorized(`evt_${String(index)}`), type }));
    const counted = (await points()).filter(({ unit }) => unit === "{outcome}");
    expect(counted).toMatchObject([
      { attributes: { "countersign.event.type": "report.ready" }, value: 1 },
      { attributes: { "countersign.event.type": "_OTHER" }, value: 2 },
    ]);
    expect(JSON.stringify(counted)).not.toContain("evt_");
  });

  it("measures durations in seconds, and marks a worker's run and whether it was the last", async () => {
    const { meter, points } = metering();
    const record = telemetry({ meter });
    const event = { key: { provider: "standard", tenant: "", id: "evt_1" }, type: "refund.failed" };
    const code = "CS_HANDLER_FAILED";
    record({ kind: "stored", ...event }, { durationMs: 250 });
    record({ kind: "handled", ...event }, { durationMs: 1, worker: { dead: false } });
    record(
      { kind: "failed", code, retryAfterSeconds: 5, event, error: undefined },
      { durationMs: 1, worker: { dead: true } },
    );
    const all = await points();
    expect(all[0]).toMatchObject({ unit: "s", value: { count: 1, sum: 0.25 } });
    const counted = all.filter(({ unit }) => unit === "{outcome}");
    const names = ["countersign.outcome", "countersign.worker.dead"];
    expect(counted.map(({ attributes }) => names.map((name) => attributes[name]))).toEqual([
      ["stored", undefined],
      ["handled", false],
      ["failed", true],
    ]);
  });
});

it("telemetry marks an event that ran although its bytes were known or its body does not fit", () => {
  const { tracer, spans } = tracing();
  const record = telemetry({ tracer });
  const event = { key: { provider: "github", tenant: "", id: "d_1" }, type: "push" };
  const marks = { sameBytesAs: "d_0", schemaErrors: [{ message: "no" }] };
  record({ kind: "handled", ...event, ...marks }, { durationMs: 1 });
  expect(spans()[0]?.attributes).toMatchObject({
    "countersign.event.same_bytes": true,
    "countersign.event.schema_errors": true,
  });
});
