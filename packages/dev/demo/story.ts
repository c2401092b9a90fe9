import { federalReserve, isBusinessDay } from "@countersign/rules";
import type { Api } from "../src/api.ts";
import type { Child } from "../src/child.ts";
import type { Narrator } from "./narrator.ts";

/** Two running processes, and the merchant's access to the sandbox. */
export interface Stage {
  readonly api: Api;
  readonly sandbox: Child;
  readonly merchant: Child;
  readonly narrator: Narrator;
}

interface Payment {
  readonly paymentId: string;
  readonly direction: "DEBIT" | "CREDIT";
  readonly paymentStatus: string;
  readonly amount: { readonly value: number };
}

interface Effect {
  readonly eventId: string;
  readonly type: string;
  readonly handler: string;
  readonly count: number;
}

const ASKED = "10.50";
const MAX_DAYS = 10;

/**
 * Follows one refund step by step from outside: every state that it prints was read over HTTP.
 *
 * @returns The payment that was partially refunded.
 * @throws {Error} a step failed.
 */
export async function tellStory(stage: Stage): Promise<{ readonly paymentId: string }> {
  const { narrator } = stage;

  narrator.step("Settle a customer's payment");
  const payment = await settleOne(stage);

  narrator.step(`Request a refund of ${ASKED} USD`);
  const refundId = await askForRefund(stage, payment);

  narrator.step("Receive refund.pending: a signed attempt, verified and routed");
  await showAttempt(stage, { type: "refund.pending", about: refundId, handler: "PAYMENT" });

  narrator.step("Move the clock by three business days");
  await moveClock(stage, refundId);

  narrator.step("Receive refund.authorized");
  await showAttempt(stage, {
    type: "refund.authorized",
    about: refundId,
    handler: "refund.authorized",
  });
  return { paymentId: payment };
}

async function settleOne({ api, narrator }: Stage): Promise<string> {
  const { payments } = await read<{ payments: Payment[] }>(api, "/sandbox/payments");
  const open = payments.find(
    ({ direction, paymentStatus, amount }) =>
      direction === "DEBIT" &&
      ["CREATED", "AUTHORIZED"].includes(paymentStatus) &&
      amount.value > Number(ASKED),
  );
  if (open === undefined) throw new Error("the sandbox has no unsettled payment");
  const path = `/sandbox/payments/${open.paymentId}/settle`;
  const { status } = await api("POST", path, {});
  narrator.fact("call", `POST ${path} → ${String(status)}`);
  const { now } = await read<{ now: string }>(api, "/sandbox/clock");
  narrator.fact("settled at", `${now} by the sandbox's clock, ${dayOf(now)} in New York`);
  if (status !== 200) throw new Error(`POST ${path} returned ${String(status)}, expected 200`);
  return open.paymentId;
}

async function askForRefund({ api, narrator }: Stage, paymentId: string): Promise<string> {
  // Not JSON.stringify, which would write the amount with one digit after the point.
  const body = `{"paymentId":"${paymentId}","amount":{"currency":"USD","value":${ASKED}},"clientReferenceId":"order-7","requestKey":"order-7-refund-1"}`;
  const answer = await api("POST", "/v1/refunds", body);
  const refund = answer.body as { paymentId: string; paymentStatus: string };
  narrator.fact("call", `POST /v1/refunds ${body}`);
  narrator.fact("answer", `${String(answer.status)} ${JSON.stringify(answer.body)}`);
  const stored = await findRefund(api, refund.paymentId);
  narrator.fact("stored", `${stored?.paymentId ?? "nothing"} ${stored?.paymentStatus ?? ""}`);
  if (answer.status !== 201 || stored?.paymentStatus !== "PENDING")
    throw new Error("expected 201 and a refund stored as PENDING");
  return refund.paymentId;
}

/** Moves the clock by days until the refund is authorized: weekends and bank holidays do not count. */
async function moveClock({ api, narrator }: Stage, refundId: string): Promise<void> {
  let businessDays = 0;
  for (let day = 1; day <= MAX_DAYS; day += 1) {
    await api("PUT", "/sandbox/clock", { advance: "P1D" });
    const { now } = await read<{ now: string }>(api, "/sandbox/clock");
    const open = isBusinessDay(newYorkDate(now), federalReserve);
    businessDays += open ? 1 : 0;
    const status = (await findRefund(api, refundId))?.paymentStatus ?? "gone";
    const counted = open ? `business day ${String(businessDays)}` : "banks are closed";
    narrator.fact(dayOf(now), `${status.padEnd(10)}  ${counted}`);
    if (status === "AUTHORIZED") return;
  }
  throw new Error(`expected an AUTHORIZED refund within ${String(MAX_DAYS)} days`);
}

/** Waits for the delivery, then shows both sides of it: the service's record and the merchant's log. */
async function showAttempt(
  { api, merchant, narrator }: Stage,
  wanted: { readonly type: string; readonly about: string; readonly handler: string },
): Promise<void> {
  const delivery = await eventually(`a delivered ${wanted.type}`, async () => {
    const { deliveries } = await read<{ deliveries: Delivery[] }>(api, "/sandbox/deliveries");
    return deliveries.find(({ type, state }) => type === wanted.type && state === "delivered");
  });
  for (const attempt of delivery.attempts)
    narrator.fact(
      "attempt",
      `${String(attempt.number)}: POST ${merchant.url}/webhooks → ${String(attempt.status)} in ${String(attempt.durationMs)} ms`,
    );
  const effect = await eventually(`the merchant's handler of ${wanted.type}`, async () => {
    const answer = await fetch(`${merchant.url}/effects`);
    // The example merchant's own page.
    const effects = (await answer.json()) as Effect[];
    return effects.find(({ eventId }) => eventId === delivery.eventId);
  });
  for (const line of merchant.lines.filter((text) => text.includes(delivery.eventId)))
    narrator.heard("merchant", line);
  if (effect.handler !== wanted.handler || effect.count !== 1)
    throw new Error(`${wanted.type} ran ${effect.handler} ${String(effect.count)} times`);
}

interface Delivery {
  readonly eventId: string;
  readonly type: string;
  readonly state: string;
  readonly attempts: readonly {
    readonly number: number;
    readonly status: number | null;
    readonly durationMs: number;
  }[];
}

async function findRefund(api: Api, paymentId: string): Promise<Payment | undefined> {
  const { payments } = await read<{ payments: Payment[] }>(api, "/sandbox/payments");
  return payments.find((payment) => payment.paymentId === paymentId);
}

/** Sends a GET; the caller knows the shape of the response. */
async function read<T>(api: Api, path: string): Promise<T> {
  const { status, body } = await api("GET", path);
  if (status !== 200) throw new Error(`GET ${path} returned ${String(status)}, expected 200`);
  return body as T;
}

const DEADLINE_MS = 10_000;

async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + DEADLINE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end)
      throw new Error(`${what} timed out after ${String(DEADLINE_MS / 1000)} s`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** The date that the bank calendar counts by, as `YYYY-MM-DD`. */
const newYorkDate = (instant: string): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone: "America/New_York" }).format(new Date(instant));

/** The same date as "Tue 24 Nov". */
function dayOf(instant: string): string {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: "America/New_York",
    weekday: "short",
    day: "2-digit",
    month: "short",
  }).format(new Date(instant));
  return parts.replace(",", "");
}
