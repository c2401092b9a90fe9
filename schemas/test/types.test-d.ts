import { standardCatalogue } from "@countersign/schemas";
import type {
  Amount,
  EventTypeMap,
  Payment,
  Refund,
  SchemaError,
  WebhookEvent,
} from "@countersign/schemas";
import { expectTypeOf, test } from "vitest";

test("an event narrows on its type at the call site", () => {
  const handle = (event: WebhookEvent): string => {
    if (event.type === "refund.authorized") {
      expectTypeOf(event.data.paymentStatus).toEqualTypeOf<"AUTHORIZED">();
      expectTypeOf(event.data).toExtend<Refund>();
      return event.data.paymentId;
    }
    if (event.type === "payment.succeeded") {
      expectTypeOf(event.data).toExtend<Payment>();
      expectTypeOf(event.data.paymentStatus).toEqualTypeOf<"SUCCEEDED">();
      expectTypeOf(event.data.amount).toEqualTypeOf<Amount>();
      return event.data.customerId;
    }
    // A failed refund always says why.
    if (event.type === "refund.failed") return event.data.errorDetails.errorCode;
    // @ts-expect-error a pending refund has not failed
    if (event.type === "refund.pending") expectTypeOf(event.data.errorDetails).toBeObject();
    if (event.category === "ACCOUNT") return event.data.accountDetails.financialInstitutionName;
    // @ts-expect-error a customer's data has no customerId
    if (event.category === "CUSTOMER") expectTypeOf(event.data.customerId).toBeString();
    return event.id;
  };
  expectTypeOf(handle).returns.toEqualTypeOf<string>();
});

test("a refund narrows on its status", () => {
  const codeOf = (refund: Refund): string | undefined =>
    refund.paymentStatus === "TERMINAL_FAILED" ? refund.errorDetails.errorCode : undefined;
  expectTypeOf(codeOf).returns.toEqualTypeOf<string | undefined>();
});

test("the catalogue's validators narrow to their event", () => {
  const validation = standardCatalogue.events["refund.pending"].validate({});
  if (validation.ok) expectTypeOf(validation.value).toEqualTypeOf<EventTypeMap["refund.pending"]>();
  else expectTypeOf(validation.errors).toEqualTypeOf<readonly SchemaError[]>();
  expectTypeOf(validation.ok).toBeBoolean();
});
