import { addressOf, useReading } from "../context.ts";
import { CopyButton, Facts, Refusal, SandboxTime, WordBadge } from "../parts.tsx";
import type { PaymentDetail } from "../shapes.ts";
import { DebitActions, RefundActions } from "./actions.tsx";
import { PaymentTimeline } from "./timeline.tsx";

/** One payment or refund: facts, moves, scenarios, refunds and events. */
export function PaymentView({ id }: { readonly id: string }) {
  const { value: detail, refusal } = useReading<PaymentDetail>(`/sandbox/inspect/payments/${id}`);
  if (detail === undefined) {
    if (refusal === undefined) return <p aria-busy="true">…</p>;
    return (
      <article>
        <h1>No such payment</h1>
        <p>
          <code>{id}</code> is not in this sandbox.
        </p>
        <Refusal text={refusal} />
      </article>
    );
  }
  const { payment, debit, refunds } = detail;
  const isRefund = payment.direction === "CREDIT";
  return (
    <article>
      <header class="event-head">
        <WordBadge word={payment.paymentStatus} />
        <h1>
          {isRefund ? "Refund" : "Payment"} {payment.amount}
        </h1>
        <code class="id">{payment.id}</code>
        <CopyButton text={payment.id} label="Copy" name="Copy the payment's id" />
      </header>
      {payment.errorDetails !== undefined && (
        <p class="summary bad">
          {payment.errorDetails.errorCode}: {payment.errorDetails.errorMessage}
        </p>
      )}
      {isRefund && (
        <p>
          Of the payment <a href={addressOf("payments", debit.id)}>{debit.amount}</a>
          {payment.dueAt !== null && (
            <>
              ; AUTHORIZED from <SandboxTime at={payment.dueAt} />
            </>
          )}
          .
        </p>
      )}
      {isRefund ? <RefundActions detail={detail} /> : <DebitActions detail={detail} />}
      <Facts
        rows={[
          [
            "Customer",
            <a key="c" href={addressOf("customers", payment.customerId)}>
              {payment.customerId}
            </a>,
          ],
          ["Created", <SandboxTime key="t" at={payment.creationDate} form="long" />],
          ...(isRefund
            ? []
            : [
                [
                  "Settled",
                  payment.settlementDate === undefined ? (
                    "not yet"
                  ) : (
                    <SandboxTime key="s" at={payment.settlementDate} form="long" />
                  ),
                ] as const,
                ["Still refundable", payment.refundable ?? "nothing"] as const,
              ]),
          ["Request key", <code key="k">{payment.requestKey}</code>],
          ...(payment.clientReferenceId === null
            ? []
            : [["Reference", payment.clientReferenceId] as const]),
        ]}
      />
      {refunds.length > 0 && (
        <>
          <h2>{isRefund ? "All refunds of the payment" : "Refunds"}</h2>
          <ul class="plain">
            {refunds.map((refund) => (
              <li key={refund.id}>
                <WordBadge word={refund.paymentStatus} />{" "}
                <a href={addressOf("payments", refund.id)}>{refund.amount}</a>{" "}
                <code>{refund.id}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      <h2>Events</h2>
      <PaymentTimeline detail={detail} />
    </article>
  );
}
