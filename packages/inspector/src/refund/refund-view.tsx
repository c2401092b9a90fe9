import { useInspector } from "../inspector-context.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { StateDiagram } from "../parts/state-diagram.tsx";
import { Time } from "../parts/time.tsx";
import { useAction } from "../parts/use-action.ts";
import { addressOf } from "../parts/use-place.ts";
import { useReading } from "../parts/use-reading.ts";
import type { RefundDetail } from "../remote/shapes.ts";
import { money } from "../resources/money.ts";
import { HoldCalendar } from "./hold-calendar.tsx";
import { Reservations } from "./reservations.tsx";

/** One refund: where it stands, what it waits for, what it takes of its payment, what has happened. */
export function RefundView({ id }: { readonly id: string }) {
  const { about } = useInspector();
  const action = useAction();
  const reading = useReading<RefundDetail>(`/sandbox/inspect/refunds/${id}`);
  if (reading.at === "refused") return <p className="refusal">{reading.message}</p>;
  if (reading.at === "reading") return <p className="note" aria-busy="true" />;
  const { refund, payment, hold, reservations, history } = reading.value;
  return (
    <article>
      <h1>Refund {money(refund.amount)}</h1>
      <p className="facts">
        <span className="mono">{refund.paymentId}</span>
        <span className={`badge ${refund.paymentStatus}`}>{refund.paymentStatus}</span>
        <a href={addressOf("payments", payment.paymentId)}>of payment {money(payment.amount)}</a>
        {refund.clientReferenceId !== null && <span>{refund.clientReferenceId}</span>}
      </p>
      {refund.errorDetails !== undefined && (
        <p className="refusal">
          {refund.errorDetails.errorCode}: {refund.errorDetails.errorMessage}
        </p>
      )}
      <h2>States</h2>
      <StateDiagram transitions={about.transitions.refund} present={refund.paymentStatus} />
      {about.lateReturn && refund.paymentStatus === "AUTHORIZED" && (
        <ActionButton
          action={action}
          label="return"
          path={`/sandbox/payments/${refund.paymentId}/return`}
        />
      )}
      <Refusal action={action} />
      <h2>From settlement to eligibility</h2>
      {hold === null ? (
        <p className="note">
          The payment is {payment.paymentStatus}: the days count from its settlement.
        </p>
      ) : (
        <HoldCalendar hold={hold} />
      )}
      <h2>Reserved of the payment</h2>
      <Reservations reservations={reservations} present={id} />
      <h2>History</h2>
      <ol className="history">
        {history.map((event) => (
          <li key={event.id}>
            <Time at={event.timestamp} /> <a href={addressOf("timeline", event.id)}>{event.type}</a>
          </li>
        ))}
      </ol>
    </article>
  );
}
