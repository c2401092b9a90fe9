import type { Payment, RefundOrder } from "./refund-server.ts";

/** One call and its answer. */
export interface Asked extends RefundOrder {
  readonly status: number;
}

/**
 * What a race has broken of: one refund a key (G2, G3), never more than the payment (G1), what is
 * answered is what is stored (G4), and what was refused would not have fitted.
 */
export async function violations(
  payment: Payment,
  { paid, asked }: { readonly paid: number; readonly asked: readonly Asked[] },
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
