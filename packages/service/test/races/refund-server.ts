import type { BodyRoute } from "../../src/http/route.ts";
import type { Driver } from "../../src/store/driver.ts";
import { openService, type TestService } from "../open-service.ts";
import { newPayment } from "../payments.ts";
import { naiveRefund } from "./naive-refund.ts";

export interface RefundOrder {
  readonly requestKey: string;
  readonly cents: number;
}

/** A server that refunds parts of payments over HTTP, rightly or not. */
export interface RefundServer {
  /** A payment of so many cents, and what has been refunded of it. */
  readonly pay: (cents: number) => Promise<Payment>;
}

export interface Payment {
  /** @returns The answer's status. */
  readonly refund: (order: RefundOrder) => Promise<number>;
  /** What is stored, by key. */
  readonly refunds: () => Promise<readonly RefundOrder[]>;
}

export interface ServerOptions {
  readonly driver: Driver;
  readonly wrap?: (driver: Driver) => Driver;
}

/** The service's own `POST /v1/refunds`. */
export async function serviceServer(options: ServerOptions): Promise<RefundServer> {
  return serverOf(await openService(options), {
    path: "/v1/refunds",
    stored: `SELECT request_key AS "requestKey", amount_cents AS cents FROM payments
      WHERE original_id = $1`,
  });
}

/** The fixture that looks first and writes afterwards, behind the same checks of a call. */
export async function naiveServer(options: ServerOptions): Promise<RefundServer> {
  const route: BodyRoute = {
    method: "POST",
    scope: "payments",
    answer: async ({ context, body }) => {
      // The tests' own form.
      const order = body.value as RefundOrder & { readonly paymentId: string };
      return { status: await naiveRefund(context.driver, order), body: {} };
    },
  };
  const open = await openService({
    ...options,
    routes: { "/naive/refunds": [route] },
    checksAnswers: false,
  });
  await open.service.driver.transaction((tx) =>
    tx.query("CREATE TABLE naive_refunds (payment_id text, request_key text, cents bigint)"),
  );
  return serverOf(open, {
    path: "/naive/refunds",
    stored: `SELECT request_key AS "requestKey", cents FROM naive_refunds WHERE payment_id = $1`,
  });
}

function serverOf(
  { service, merchant, call }: TestService,
  { path, stored }: { readonly path: string; readonly stored: string },
): RefundServer {
  return {
    pay: async (paid) => {
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
    },
  };
}
