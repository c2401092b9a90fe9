import type { TestAnswer, TestService } from "../open-service.ts";
import { newPayment } from "../payments.ts";

const DAY_MS = 86_400_000;

/** Asks for a cent of a payment under a key of its own. */
export function askCent(
  { call }: TestService,
  paymentId: string,
  more: object = {},
): Promise<TestAnswer> {
  const amount = { currency: "USD", value: 0.01 };
  const json = { paymentId, amount, requestKey: `cent-of-${paymentId}`, ...more };
  return call("POST", "/v1/refunds", { json });
}

/** A payment in each state that a refund of it can meet; the clock stands 30 days further then. */
export async function paymentsInEveryState(open: TestService): Promise<Record<string, string>> {
  const { service, merchant, clock } = open;
  const { useCases } = service;
  const pay = () => newPayment(service, merchant);
  const old = await pay();
  await useCases.settlePayment(merchant, { paymentId: old });
  const covered = await pay();
  await useCases.settlePayment(merchant, { paymentId: covered });
  await useCases.coverPayment(merchant, { paymentId: covered });
  clock.advance(30 * DAY_MS);
  const recent = await pay();
  await useCases.settlePayment(merchant, { paymentId: recent });
  const created = await pay();
  const authorized = await pay();
  await useCases.authorizePayment(merchant, { paymentId: authorized });
  const failed = await pay();
  await useCases.failPayment(merchant, { paymentId: failed });
  const canceled = await pay();
  await useCases.failPayment(merchant, { paymentId: canceled, status: "CANCELED" });
  return { old, covered, recent, created, authorized, failed, canceled };
}

/** Everything under a value, with the names that lead to it. */
export function everyMember(value: unknown, name = ""): [name: string, value: unknown][] {
  if (typeof value !== "object" || value === null) return [[name, value]];
  return [
    [name, value],
    ...Object.entries(value).flatMap(([key, one]: [string, unknown]) => everyMember(one, key)),
  ];
}
