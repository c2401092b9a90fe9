import { dateAfter, startOfDay, thresholdOf } from "../../../rules/test/independent-calendar.ts";
import { openService } from "../open-service.ts";
import { askRefund } from "../../src/use-cases/ask-refund.ts";
import { settlePayment } from "../../src/use-cases/payments.ts";

/**
 * Lets a service live through days in New York. Payments with a refund settle in the first and the last millisecond of
 * each; due refunds are moved then, and all refunds are looked up in the store.
 *
 * @returns The number of days and refunds, and the refunds that were authorized too early or too late by an
 *   independent calendar.
 */
export async function simulateDays(first: string, days: number) {
  const { context, pay, sweep, rows, merchant, clock } = await openService();
  const dueAt = new Map<string, number>();
  const wrong = new Set<string>();

  const settle = async (): Promise<void> => {
    const paymentId = await pay();
    const order = { amountCents: 1n, clientReferenceId: null, softDescriptor: null };
    const asked = await askRefund(context, merchant, {
      ...order,
      paymentId,
      requestKey: `refund-${paymentId}`,
    });
    if (!asked.ok) throw new Error(asked.code);
    await settlePayment(context, merchant, { paymentId });
    dueAt.set(asked.refund.id, thresholdOf(clock.now()));
  };
  const judge = async (): Promise<void> => {
    const now = clock.now();
    await sweep(now);
    for (const refund of await rows("SELECT id, status FROM payments WHERE direction = 'CREDIT'")) {
      const id = String(refund["id"]);
      const isDue = (dueAt.get(id) ?? 0) <= now;
      if ((refund["status"] !== "PENDING") !== isDue)
        wrong.add(`${id} at ${new Date(now).toISOString()}`);
    }
  };

  let date = first;
  for (let day = 0; day < days; day += 1, date = dateAfter(date)) {
    for (const at of [startOfDay(date), startOfDay(dateAfter(date)) - 1]) {
      clock.step(at - clock.now());
      // oxlint-disable-next-line no-await-in-loop -- days pass one after the other
      await judge();
      // oxlint-disable-next-line no-await-in-loop
      await settle();
    }
  }
  return { days, refunds: dueAt.size, wrong: [...wrong] };
}
