import { createClient, isClientError, type Client, type ClientError } from "@countersign/client";
import { expectTypeOf, test } from "vitest";

const baseUrl = "https://provider.example";
declare const client: Client;

test("createClient accepts variables that may be unset, and a token or a function", () => {
  const clientId = process.env["CLIENT_ID"];
  expectTypeOf(createClient).toBeCallableWith({ baseUrl, clientId, clientSecret: clientId });
  expectTypeOf(createClient).toBeCallableWith({ baseUrl, token: "t" });
  expectTypeOf(createClient).toBeCallableWith({ baseUrl, token: async () => "t" });
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

test("an error has one of a closed list of codes", () => {
  expectTypeOf(isClientError).guards.toEqualTypeOf<ClientError>();
  expectTypeOf<"CS_CALL_REFUSED">().toExtend<ClientError["code"]>();
  expectTypeOf<"CS_OTHER">().not.toExtend<ClientError["code"]>();
});
