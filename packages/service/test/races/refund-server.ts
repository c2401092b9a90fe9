import type { BodyRoute } from "../../src/http/route.ts";
import type { Driver } from "../../src/store/driver.ts";
import { openService, type TestService } from "../open-service.ts";
import { newPayment } from "../payments.ts";

export interface RefundOrder {
  readonly requestKey: string;
  readonly cents: number;
}

/** One call and its answer. */
export interface Asked extends RefundOrder {
  readonly status: number;
}

export interface Payment {
  /** @returns The answer's status. */
  readonly refund: (order: RefundOrder) => Promise<number>;
  /** What is stored, by key. */
  readonly refunds: () => Promise<readonly RefundOrder[]>;
}

/** A server that refunds parts of payments over HTTP, rightly or not: makes a payment of so many cents. */
export type RefundServer = (cents: number) => Promise<Payment>;

/** The service's own `POST /v1/refunds`. */
export async function serviceServer(driver: Driver): Promise<RefundServer> {
  return serverOf(
    await openService({ driver }),
    "/v1/refunds",
    `SELECT request_key AS "requestKey", amount_cents AS cents FROM payments WHERE original_id = $1`,
  );
}

/**
 * The mistake that the races are there to find: key and remaining amount are looked up, and what was
 * seen is believed when the refund is written. Kept so that a race that finds nothing here fails.
 */
export async function naiveServer(driver: Driver): Promise<RefundServer> {
  const route: BodyRoute = {
    method: "POST",
    scope: "payments",
    answer: async ({ context, body }) => {
      // The tests' own form.
      const order = body.value as RefundOrder & { readonly paymentId: string };
      return { status: await naiveRefund(context.driver, order), body: {} };
    },
  };
  const routes = { "/naive/refunds": [route] };
  const open = await openService({ driver, routes, checksAnswers: false });
  await open.service.driver.transaction((tx) =>
    tx.query("CREATE TABLE naive_refunds (payment_id text, request_key text, cents bigint)"),
  );
  const stored = `SELECT request_key AS "requestKey", cents FROM naive_refunds WHERE payment_id = $1`;
  return serverOf(open, "/naive/refunds", stored);
}

async function naiveRefund(
  driver: Driver,
  { paymentId, requestKey, cents }: RefundOrder & { readonly paymentId: string },
): Promise<number> {
  const sumOf = async (sql: string, ...params: string[]): Promise<number> =>
    (await driver.query<{ cents: number }>(sql, params)).reduce((sum, one) => sum + one.cents, 0);
  const same = "SELECT cents FROM naive_refunds WHERE request_key = $1";
  if ((await sumOf(same, requestKey)) > 0) return 409;
  const paid = await sumOf("SELECT amount_cents AS cents FROM payments WHERE id = $1", paymentId);
  const all = "SELECT cents FROM naive_refunds WHERE payment_id = $1";
  if ((await sumOf(all, paymentId)) + cents > paid) return 422;
  const insert = "INSERT INTO naive_refunds (payment_id, request_key, cents) VALUES ($1, $2, $3)";
  await driver.transaction((tx) => tx.query(insert, [paymentId, requestKey, cents]));
  return 201;
}

function serverOf(
  { service, merchant, call }: TestService,
  path: string,
  stored: string,
): RefundServer {
  return async (paid) => {
    const paymentId = await newPayment(service, merchant, { cents: BigInt(paid) });
    return {
      refund: async ({ requestKey, cents }) => {
        const amount = { currency: "USD", value: cents / 100 };
        const isNaive = path !== "/v1/refunds";
        const json = { paymentId, requestKey, ...(isNaive ? { cents } : { amount }) };
        return (await call("POST", path, { json })).status;
      },
      refunds: () => service.driver.query<RefundOrder>(stored, [paymentId]),
    };
  };
}

/**
 * What a race has broken of: one refund a key (G2, G3), never more than the payment (G1), what is
 * answered is what is stored (G4), and what was refused would not have fitted.
 */
export async function violations(
  payment: Payment,
  paid: number,
  asked: readonly Asked[],
): Promise<string[]> {
  const stored = await payment.refunds();
  const sum = stored.reduce((total, { cents }) => total + cents, 0);
  const made = asked.filter(({ status }) => status === 201);
  const text = (orders: readonly RefundOrder[]): string =>
    orders
      .map(({ requestKey, cents }) => `${requestKey}:${cents}`)
      .toSorted()
      .join();
  const keys = new Set(stored.map(({ requestKey }) => requestKey));
  const refused = asked.filter(({ status, requestKey }) => status === 422 && !keys.has(requestKey));
  const others = asked.filter(({ status }) => ![201, 409, 422].includes(status));
  return [
    ...(sum > paid ? [`${sum} of ${paid} are refunded`] : []),
    ...(keys.size < stored.length ? ["a key has two refunds"] : []),
    ...(text(stored) === text(made) ? [] : ["the answers are not what is stored"]),
    ...(refused.every(({ cents }) => sum + cents > paid) ? [] : ["a refund was refused that fits"]),
    ...(others.length === 0 ? [] : [`answers of ${others.map(({ status }) => status).join()}`]),
  ];
}
