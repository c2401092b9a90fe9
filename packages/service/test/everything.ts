import { expect } from "vitest";
import type { TestService } from "./open-service.ts";
import { newCustomer } from "./payments.ts";
import { deactivateAccount, linkAccount, moveCustomer } from "../src/use-cases/customers.ts";
import {
  authorizePayment,
  coverPayment,
  failPayment,
  settlePayment,
} from "../src/use-cases/payments.ts";

const DAY_MS = 86_400_000;

export const eventsOf = ({ driver }: Pick<TestService, "driver">) =>
  driver.query<Record<"id" | "type" | "category" | "payload", string> & { readonly at: number }>(
    "SELECT id, type, category, payload, created_at AS at FROM events ORDER BY seq",
  );

/**
 * Lets a merchant's customers, accounts, payments and refunds enter each of their states, most of them by two equal moves.
 *
 * @returns The resources that were answered.
 */
export async function everything(open: TestService): Promise<Record<string, unknown>[]> {
  const { context, merchant, clock, call, refund } = open;
  const { token } = merchant;
  const customerId = await newCustomer(open, merchant);
  for (const move of ["activate", "activate", "deactivate", "deactivate", "activate"] as const)
    await moveCustomer(context, merchant, { customerId, move });
  const account = { customerId, institution: "Second Bank", lastFour: "0000" };
  await linkAccount(context, merchant, { ...account, type: "savings" });
  const customer = await call("GET", `/v1/customers/${customerId}`, { token });
  for (let i = 0; i < 2; i++) await deactivateAccount(context, merchant, { customerId });
  const pay = async (...moves: readonly (typeof settlePayment)[]): Promise<string> => {
    const paymentId = await open.pay({ merchant });
    for (const move of moves)
      for (let i = 0; i < 2; i++)
        expect(await move(context, merchant, { paymentId })).toMatchObject({ ok: true });
    return paymentId;
  };
  const before = [await pay(settlePayment), await pay(settlePayment, coverPayment)];
  clock.advance(30 * DAY_MS);
  const [created, canceled, settled] = [await pay(), await pay(), await pay(settlePayment)];
  await failPayment(context, merchant, { paymentId: canceled, status: "CANCELED" });
  const rest = [await pay(authorizePayment), await pay(failPayment)];
  const answers = [customer.body];
  for (const paymentId of [...before, created, canceled, settled, ...rest]) {
    const key = { requestKey: paymentId.slice(-8) };
    const { status, body } = await refund(paymentId, key, { token });
    expect([201, 202]).toContain(status);
    answers.push(body);
  }
  await failPayment(context, merchant, { paymentId: created });
  clock.advance(30 * DAY_MS);
  await open.sweep();
  // Each is a resource, a JSON object.
  return answers as Record<string, unknown>[];
}
