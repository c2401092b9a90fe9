import {
  clientErrorCodes,
  createClient,
  isClientError,
  type Client,
  type ClientError,
  type ExistingRefund,
} from "@countersign/client";
import { expectTypeOf, test } from "vitest";

const baseUrl = "https://provider.example";
declare const client: Client;

test("createClient accepts exactly one way to authenticate", () => {
  expectTypeOf(createClient).toBeCallableWith({ baseUrl, token: "t" });
  expectTypeOf(createClient).toBeCallableWith({ baseUrl, token: () => ({ token: "t" }) });
  expectTypeOf(createClient).toBeCallableWith({
    baseUrl: process.env["PROVIDER_URL"],
    clientId: process.env["CLIENT_ID"],
    clientSecret: process.env["CLIENT_SECRET"],
  });
  // @ts-expect-error neither way
  expectTypeOf(createClient).toBeCallableWith({ baseUrl });
  // @ts-expect-error half of one
  expectTypeOf(createClient).toBeCallableWith({ baseUrl, clientId: "me" });
  // @ts-expect-error both
  expectTypeOf(createClient).toBeCallableWith({
    baseUrl,
    clientId: "a",
    clientSecret: "b",
    token: "t",
  });
});

test("refund accepts an amount as text or bigint and requires a key", () => {
  const asked = { paymentId: "pay_1", requestKey: "key-1" };
  expectTypeOf(client.refund).toBeCallableWith({ ...asked, amount: "10.50" });
  expectTypeOf(client.refund).toBeCallableWith({ ...asked, amount: 1050n });
  // @ts-expect-error a number may have been another amount
  expectTypeOf(client.refund).toBeCallableWith({ ...asked, amount: 10.5 });
  // @ts-expect-error without a key a retry could pay twice
  expectTypeOf(client.refund).toBeCallableWith({ paymentId: "pay_1", amount: 1050n });
});

test("errors are a closed union that their code narrows", () => {
  expectTypeOf<ClientError["code"]>().toEqualTypeOf<(typeof clientErrorCodes)[number]>();
  const reported = (error: ClientError): unknown => {
    if (error.code === "CS_REQUEST_INVALID") return error.errors;
    if (error.code === "CS_UNREACHABLE") return error.reason;
    if (error.code === "CS_ANSWER_UNREADABLE") return error.status;
    if (error.code === "CS_TOKEN_REFUSED") return error.error;
    if (error.code === "CS_REQUEST_KEY_USED") {
      expectTypeOf(error.existing).toEqualTypeOf<ExistingRefund | undefined>();
      return error.existing;
    }
    if (error.code !== "CS_CALL_REFUSED") return error.mayBeDone;
    expectTypeOf(error.errorCode).toExtend<string | undefined>();
    return error.retryAfterMs;
  };
  expectTypeOf(reported).toBeFunction();
  expectTypeOf(isClientError).guards.toEqualTypeOf<ClientError>();
});
