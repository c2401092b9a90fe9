import { addressOf, useReading } from "../context.ts";
import { Absent, Facts, Head, Time, WordBadge } from "../parts.tsx";
import type { PaymentDetail } from "../shapes.ts";
import { amountText, shortId } from "../words.ts";
import { Moves } from "./actions.tsx";

/** One payment or refund: facts, moves, scenarios, refunds and events. */
export function PaymentView({ id }: { readonly id: string }) {
  const { value: detail, refusal } = useReading<PaymentDetail>(`/sandbox/payments/${id}`);
  if (detail === undefined)
    return (
      <Absent title="No such payment" refusal={refusal}>
        <code>{id}</code> is not in this sandbox.
      </Absent>
    );
  const { payment, debit, refunds, events } = detail;
  const isRefund = payment.direction === "CREDIT";
  return (
    <article>
      <Head
        badge={<WordBadge word={payment.paymentStatus} />}
        title={`${isRefund ? "Refund" : "Payment"} ${amountText(payment)}`}
        id={payment.paymentId}
      />
      {payment.errorDetails !== undefined && (
        <p class="summary bad">
          {payment.errorDetails.errorCode}: {payment.errorDetails.errorMessage}
        </p>
      )}
      {isRefund && (
        <p>
          Of the payment <a href={addressOf("payments", debit.paymentId)}>{amountText(debit)}</a>
          {payment.eligibleAt != null && (
            <>
              ; AUTHORIZED from <Time at={payment.eligibleAt} />
            </>
          )}
          .
        </p>
      )}
      <Moves key={payment.refundable} detail={detail} />
      <Facts
        rows={[
          [
            "Customer",
            <a key="c" href={addressOf("payments", undefined, [["q", payment.customerId]])}>
              {payment.customerId}
            </a>,
          ],
          ["Created", <Time key="t" at={payment.creationDate} form="long" />],
          [
            "Settled",
            isRefund ? null : payment.settlementDate === undefined ? (
              "not yet"
            ) : (
              <Time key="s" at={payment.settlementDate} form="long" />
            ),
          ],
          [
            "Still refundable",
            isRefund ? null : payment.refundable ? `${payment.refundable} USD` : "nothing",
          ],
          ["Request key", <code key="k">{payment.requestKey}</code>],
          ["Reference", payment.clientReferenceId],
        ]}
      />
      {refunds.length > 0 && (
        <>
          <h2>{isRefund ? "All refunds of the payment" : "Refunds"}</h2>
          <ul class="plain">
            {refunds.map((refund) => (
              <li key={refund.paymentId}>
                <WordBadge word={refund.paymentStatus} />{" "}
                <a href={addressOf("payments", refund.paymentId)}>{amountText(refund)}</a>{" "}
                <code>{refund.paymentId}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      <h2>Events</h2>
      <ol class="timeline">
        {events.map(({ id: event, type, subject, timestamp }) => (
          <li key={event}>
            <Time at={timestamp} /> <a href={addressOf("events", event)}>{type}</a>{" "}
            {subject !== null && subject !== debit.paymentId && <code>{shortId(subject)}</code>}
          </li>
        ))}
      </ol>
    </article>
  );
}
