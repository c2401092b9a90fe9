import { ListRow } from "../parts/list-row.tsx";
import { SplitView } from "../parts/split-view.tsx";
import { useReading } from "../parts/use-reading.ts";
import { RefundView } from "../refund/refund-view.tsx";
import type { Payment } from "../remote/shapes.ts";
import { money } from "./money.ts";
import { NewPayment } from "./new-payment.tsx";
import { PaymentView } from "./payment-view.tsx";

/** Debits and refunds, and one of them. */
export function PaymentsView({ selected }: { readonly selected: string | undefined }) {
  const reading = useReading<{ payments: readonly Payment[] }>("/sandbox/payments?limit=200");
  const payments = reading.at === "read" ? reading.value.payments : [];
  const payment = payments.find(({ paymentId }) => paymentId === selected);
  return (
    <SplitView
      view="payments"
      title="Payments"
      make="a new payment"
      selected={selected}
      list={
        <>
          {payments.map((one) => (
            <ListRow
              key={one.paymentId}
              view="payments"
              id={one.paymentId}
              isSelected={one.paymentId === selected}
              title={`${one.direction === "DEBIT" ? "Payment" : "Refund"} ${money(one.amount)}`}
              status={one.paymentStatus}
              note={one.covered ? "covered" : ""}
            />
          ))}
          {reading.at === "read" && payments.length === 0 && (
            <p className="note inset">
              No payments yet. Make one for a customer with a linked account, then ask for a refund
              of it.
            </p>
          )}
        </>
      }
    >
      {payment === undefined ? (
        <NewPayment />
      ) : payment.direction === "DEBIT" ? (
        <PaymentView key={payment.paymentId} payment={payment} />
      ) : (
        <RefundView key={payment.paymentId} id={payment.paymentId} />
      )}
    </SplitView>
  );
}
