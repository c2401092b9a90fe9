import {
  amountCents,
  createReceiver,
  type Outcome,
  type UnknownEvent,
} from "@countersign/receiver";
import { inboxConformance } from "@countersign/receiver/testing";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import type { EventCategoryMap, EventTypeMap, Payment, Refund } from "@countersign/schemas";
import { expectTypeOf, test } from "vitest";

const options = { secrets: ["whsec_"], fallback: (): void => undefined };

test("a handler's event is narrowed by its type, or is the union of its category", () => {
  const register = (): unknown =>
    createReceiver(options)
      .on("refund.authorized", (event) => {
        expectTypeOf(event).toEqualTypeOf<EventTypeMap["refund.authorized"]>();
        expectTypeOf(event.data).toExtend<Refund>();
        expectTypeOf(event.data.paymentStatus).toEqualTypeOf<"AUTHORIZED">();
      })
      .on("payment.succeeded", (event, { signal, idempotencyKey }) => {
        expectTypeOf(event.data).toExtend<Payment>();
        expectTypeOf(amountCents(event.data.amount)).toBeBigInt();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(idempotencyKey).toBeString();
      })
      .on("refund.failed", (event) => {
        expectTypeOf(event.data.errorDetails.errorCode).toBeString();
      })
      .on("CUSTOMER", async (event) => {
        expectTypeOf(event).toEqualTypeOf<EventCategoryMap["CUSTOMER"]>();
        await Promise.resolve();
      });
  expectTypeOf(register).toBeFunction();
});

test("names that the catalogue does not have do not compile", () => {
  const register = (): unknown =>
    // @ts-expect-error no such type
    createReceiver(options).on("refund.autorized", () => undefined);
  const none = (): unknown =>
    // @ts-expect-error no such category
    createReceiver(options).on("REFUND", () => undefined);
  expectTypeOf(register).toBeFunction();
  expectTypeOf(none).toBeFunction();
});

test("the fallback gets what is known of any event", () => {
  const make = (): unknown =>
    createReceiver({
      secrets: [process.env["WEBHOOK_SECRET"]],
      fallback: (event) => {
        expectTypeOf(event).toEqualTypeOf<UnknownEvent>();
        expectTypeOf(event.data).toBeUnknown();
      },
    });
  expectTypeOf(make).toBeFunction();
});

test("with another profile and no catalogue, bodies are unknown JSON under any name", () => {
  const make = (): unknown =>
    createReceiver({ ...options, profile: "x-signature" }).on("anything", (body) => {
      expectTypeOf(body["metadata"]).toBeUnknown();
    });
  expectTypeOf(make).toBeFunction();
});

test("the secrets and the fallback are required", () => {
  // @ts-expect-error no fallback
  const without = (): unknown => createReceiver({ secrets: ["whsec_"] });
  // @ts-expect-error no secrets
  const open = (): unknown => createReceiver({ fallback: () => undefined });
  expectTypeOf(without).toBeFunction();
  expectTypeOf(open).toBeFunction();
});

test("the conformance suite closes an inbox of the type that it opened", () => {
  const checks = inboxConformance({
    open: () => sqliteInbox("inbox.db"),
    close: (inbox) => inbox.close(),
  });
  expectTypeOf(checks.length).toBeNumber();
});

test("outcomes are a closed union", () => {
  expectTypeOf<Outcome["kind"]>().toEqualTypeOf<
    | "handled"
    | "duplicate"
    | "unrouted"
    | "superseded"
    | "stored"
    | "in_progress"
    | "failed"
    | "rejected"
  >();
});
