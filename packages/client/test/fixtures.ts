import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import {
  createClient,
  isClientError,
  type Client,
  type ClientError,
  type ClientOptions,
} from "@countersign/client";
import { profiles, type Profile } from "@countersign/schemas/profiles";
import { onTestFinished } from "vitest";
import { listen } from "../../service/test/sandbox/listen.ts";
import {
  openSandbox,
  type Body,
  type TestSandbox,
} from "../../service/test/sandbox/open-sandbox.ts";

export const SECRET_KEY = "a-secret-of-24-characters-or-more";
export const JSON_TYPE = { "content-type": "application/json" };
export const order = { paymentId: "pay_1", amount: "10.50", requestKey: "key-1" } as const;
export const subscription = {
  url: "https://merchant.example/hooks",
  secretKey: SECRET_KEY,
  subscriptionDetails: { type: "ALL" },
} as const;
export const pending = {
  paymentId: "ref_1",
  paymentStatus: "PENDING",
  clientReferenceId: null,
} as const;
export const made: Scripted = { status: 201, json: pending };
export const lost: Scripted = (response) => response.destroy();

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

/** A clock for one client. Waits shorter than `attemptMs` pass at once, deadlines when the test says so. */
class TestClock {
  readonly attemptMs = 10_000;
  /** The waits that have passed at once, in milliseconds. */
  readonly waits: number[] = [];
  /** Wall time less monotonic time: a test may step it. */
  wallMs: number = Date.parse("2026-11-21T12:00:00.000Z");
  readonly #deadlines = new Set<{ ms: number; at: number; pass: () => void }>();
  #elapsed = 0;

  readonly now = (): number => this.wallMs + this.#elapsed;
  readonly elapsed = (): number => this.#elapsed;

  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> => {
    if (ms < this.attemptMs) {
      this.waits.push(ms);
      this.#elapsed += ms;
      return Promise.resolve();
    }
    const { promise, resolve: pass } = Promise.withResolvers<void>();
    const deadline = { ms, at: this.#elapsed + ms, pass };
    this.#deadlines.add(deadline);
    signal.addEventListener("abort", () => {
      this.#deadlines.delete(deadline);
      pass();
    });
    return promise;
  };

  /** Deadlines that somebody waits for, in milliseconds from their beginning. */
  get pending(): number[] {
    return [...this.#deadlines].map(({ ms }) => ms);
  }

  elapse(ms: number): void {
    this.#elapsed += ms;
    for (const deadline of this.#deadlines) {
      if (deadline.at > this.#elapsed) continue;
      this.#deadlines.delete(deadline);
      deadline.pass();
    }
  }
}

/** A client with a token and a clock of the test's, closed after the test. */
export function openClient(baseUrl: string, options: Partial<ClientOptions> = {}) {
  const clock = new TestClock();
  const defaults = { baseUrl, token: "a-token", clock, random: () => 0 };
  const client: Client = createClient({ ...defaults, ...options });
  onTestFinished(() => client.close());
  return { client, clock };
}

/** A client of a provider with these answers: see `openProvider`. */
export async function clientOf(
  answers: Scripted | readonly Scripted[],
  options: Partial<ClientOptions> = {},
) {
  const { url, received } = await openProvider(...[answers].flat());
  return { received, ...openClient(url, options) };
}

/** The error of a refund of a provider with these answers. */
export async function refundError(
  answers: Scripted | readonly Scripted[],
  options: Partial<ClientOptions> = {},
) {
  const one = await clientOf(answers, options);
  return { ...one, error: await errorOf(one.client.refund(order)) };
}

export async function errorOf(call: Promise<unknown>): Promise<ClientError> {
  const [outcome] = await Promise.allSettled([call]);
  if (outcome.status === "fulfilled") throw new Error("the call succeeded");
  if (!isClientError(outcome.reason)) throw outcome.reason;
  return outcome.reason;
}

/** A sandbox of a profile with `clientIn` it. */
export const sandboxWith = async (profile: Profile = profiles.standard) =>
  clientIn(await openSandbox({ profile }), profile);

/** A sandbox's client, and an order for a payment whose refund is AUTHORIZED at once. */
export function clientIn(one: TestSandbox, profile: Profile = profiles.standard) {
  const { client } = openClient(one.sandbox.url, { token: one.token, profile });
  return { one, client, settled: { ...order, paymentId: one.seeded.payments.settled } };
}

/** The refunds that have this key, among up to a thousand payment records. */
export async function refundsOf(one: TestSandbox, requestKey = "key-1"): Promise<Body[]> {
  const payments = await one.list("/sandbox/payments?limit=1000");
  return payments.filter(
    (payment) => payment["direction"] === "CREDIT" && payment["requestKey"] === requestKey,
  );
}

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer, or a function that writes one or none. */
export type Scripted =
  | {
      readonly status: number;
      readonly json?: unknown;
      readonly text?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | ((response: ServerResponse, received: Received) => unknown);

/** Opens a provider that answers as the test says, in turn; with the last answer for ever. */
export async function openProvider(...answers: readonly Scripted[]) {
  const received: Received[] = [];
  const url = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const one = { method, path, headers, body: Buffer.concat(chunks).toString() };
      received.push(one);
      const answer = answers[Math.min(received.length, answers.length) - 1];
      if (typeof answer === "function") answer(response, one);
      else if (answer !== undefined) {
        const { status, json, text, headers: own } = answer;
        response.writeHead(status, { ...(json !== undefined && JSON_TYPE), ...own });
        response.end(json === undefined ? text : JSON.stringify(json));
      }
    });
  });
  return { url, received };
}
