import { eligibleAt, formatAmount } from "@countersign/rules";
import {
  findPayment,
  pathParameter,
  paymentResource,
  refuse,
  writtenTime,
  type Call,
  type DebitRecord,
  type Route,
} from "@countersign/service";
import { subjectPaths } from "../event-places.ts";
import { holdDays } from "../hold-days.ts";
import type { InspectParts } from "../inspect-parts.ts";

/** `GET /sandbox/inspect/refunds/{id}`: a refund, its payment, its days of waiting, all reservations, its events. */
export const getRefund = ({ profile }: Pick<InspectParts, "profile">): Route => ({
  method: "GET",
  scope: undefined,
  answer: async (call) => {
    const { context, merchant, request } = call;
    const id = pathParameter(request, "refundId") ?? "";
    const refund = await findPayment(context.driver, { merchantId: merchant.id, id });
    if (refund?.direction !== "CREDIT") throw refuse("PAYMENT_NOT_FOUND");
    const debit = await findPayment(context.driver, {
      merchantId: merchant.id,
      id: refund.originalId,
    });
    if (debit?.direction !== "DEBIT") throw refuse("PAYMENT_NOT_FOUND");
    return {
      status: 200,
      body: {
        refund: paymentResource(refund),
        payment: paymentResource(debit),
        hold: holdOf(call, debit),
        reservations: {
          amount: formatAmount(debit.amountCents),
          reserved: formatAmount(debit.reservedCents),
          refunds: await refundsOf(call, debit.id),
        },
        history: await eventsAbout(call, {
          debit,
          refundId: refund.id,
          paths: subjectPaths(profile),
        }),
      },
    };
  },
});

function holdOf({ context }: Call, { settledAt }: DebitRecord): object | null {
  if (settledAt === null) return null;
  const { hold } = context.policy;
  const at = eligibleAt(settledAt, hold);
  return {
    settledAt: writtenTime(settledAt),
    eligibleAt: writtenTime(at),
    timeZone: hold.timeZone,
    businessDays: hold.businessDays,
    days: holdDays({ settledAt, eligibleAt: at }, hold),
  };
}

async function refundsOf({ context, merchant }: Call, paymentId: string): Promise<object[]> {
  const rows = await context.driver.query<{ id: string; status: string; amountCents: number }>(
    `SELECT id, status, amount_cents AS "amountCents" FROM payments
      WHERE merchant_id = $1 AND original_id = $2 ORDER BY seq`,
    [merchant.id, paymentId],
  );
  return rows.map(({ id, status, amountCents }) => ({
    paymentId: id,
    paymentStatus: status,
    amount: formatAmount(BigInt(amountCents)),
  }));
}

interface About {
  readonly debit: DebitRecord;
  readonly refundId: string;
  /** Where events say what they are about. */
  readonly paths: readonly string[];
}

/** Events of the debit and the refund, which are not older than the debit. */
async function eventsAbout(
  { context, merchant }: Call,
  { debit, refundId, paths }: About,
): Promise<object[]> {
  const places = paths.map(
    (_, index) => `json_extract(payload, $${String(index + 5)}) IN ($3, $4)`,
  );
  const rows = await context.driver.query<{ id: string; type: string; at: number }>(
    `SELECT id, type, created_at AS at FROM events
      WHERE merchant_id = $1 AND created_at >= $2 AND (${places.join(" OR ")})
      ORDER BY seq LIMIT 100`,
    [merchant.id, debit.createdAt, refundId, debit.id, ...paths],
  );
  return rows.map(({ id, type, at }) => ({ id, type, timestamp: writtenTime(at) }));
}
