import {
  createClient,
  isClientError,
  type Client,
  type ClientError,
  type ClientOptions,
} from "@countersign/client";
import { onTestFinished } from "vitest";
import { TestTime } from "./test-time.ts";

export const order = { paymentId: "pay_1", amount: "10.50", requestKey: "key-1" } as const;

export const pending = {
  paymentId: "ref_1",
  paymentStatus: "PENDING",
  clientReferenceId: null,
} as const;

/** The problem body of a refusal. */
export const problem = (status: number, errorCode: string, more: object = {}) => ({
  status,
  headers: { "content-type": "application/problem+json" },
  json: {
    type: "about:blank",
    title: "Refused",
    status,
    errorDetails: { errorCode, errorMessage: "No." },
    ...more,
  },
});

export interface TestClient {
  readonly client: Client;
  readonly time: TestTime;
}

/** A client with a token and a clock of the test's, closed after the test. */
export function openClient(baseUrl: string, options: Partial<ClientOptions> = {}): TestClient {
  const time = new TestTime();
  const defaults = { baseUrl, token: "a-token", now: time.now, sleep: time.sleep, random: () => 0 };
  // A test gives either way of authenticating whole.
  const client = createClient({ ...defaults, ...options } as ClientOptions);
  onTestFinished(() => client.close());
  return { client, time };
}

/** The error that a call rejects with. */
export async function errorOf(call: Promise<unknown>): Promise<ClientError> {
  const error: unknown = await call.then(
    () => new Error("the call was answered"),
    (reason: unknown) => reason,
  );
  if (!isClientError(error)) throw error;
  return error;
}
