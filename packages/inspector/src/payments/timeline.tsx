import { addressOf } from "../context.ts";
import { SandboxTime } from "../parts.tsx";
import type { PaymentDetail } from "../shapes.ts";
import { shortId } from "../words.ts";

/** The events of a payment and its refunds, in their order, and the days that a refund waits. */
export function PaymentTimeline({
  detail: { debit, events, hold, refunds },
}: {
  readonly detail: PaymentDetail;
}) {
  return (
    <>
      <ol class="timeline">
        {events.map(({ id, type, subject, timestamp }) => (
          <li key={id}>
            <SandboxTime at={timestamp} /> <a href={addressOf("events", id)}>{type}</a>{" "}
            {subject !== debit.id && <code>{shortId(subject)}</code>}
          </li>
        ))}
      </ol>
      {hold !== null && refunds.some(({ paymentStatus }) => paymentStatus === "PENDING") && (
        <HoldCalendar hold={hold} />
      )}
    </>
  );
}

/** The days between a settlement and the time from which its refunds are AUTHORIZED. */
function HoldCalendar({ hold }: { readonly hold: NonNullable<PaymentDetail["hold"]> }) {
  return (
    <>
      <h3>
        A refund waits {hold.businessDays} business days after the settlement, until{" "}
        <SandboxTime at={hold.eligibleAt} />
      </h3>
      <ol class="calendar" aria-label={`Days in ${hold.timeZone}`}>
        {hold.days.map(({ date, isOpen, closed }) => (
          <li key={date} class={isOpen ? "open" : "closed"}>
            <span>{date.slice(5)}</span>
            <small>{isOpen ? "business day" : closed}</small>
          </li>
        ))}
      </ol>
    </>
  );
}
