import { addressOf } from "../parts/use-place.ts";
import type { RefundDetail } from "../remote/shapes.ts";

/** What the refunds of a payment take of its amount. */
export function Reservations({
  reservations: { amount, reserved, refunds },
  present,
}: {
  readonly reservations: RefundDetail["reservations"];
  readonly present: string;
}) {
  const whole = Number(amount);
  const holds = (status: string): boolean => status !== "TERMINAL_FAILED";
  const widths = refunds
    .filter(({ paymentStatus }) => holds(paymentStatus))
    .map((refund) => ({ ...refund, width: (Number(refund.amount) / whole) * 100 }));
  return (
    <>
      <svg className="reserved" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="4" className="whole" />
        {widths.map(({ paymentId, width }, index) => (
          <rect
            key={paymentId}
            x={widths.slice(0, index).reduce((sum, one) => sum + one.width, 0)}
            width={width}
            height="4"
            className={paymentId === present ? "this" : "other"}
          />
        ))}
      </svg>
      <p>
        {reserved} of {amount} USD
      </p>
      <table>
        <tbody>
          {refunds.map(({ paymentId, paymentStatus, amount: part }) => (
            <tr key={paymentId}>
              <td className="mono">
                {paymentId === present ? (
                  paymentId
                ) : (
                  <a href={addressOf("payments", paymentId)}>{paymentId}</a>
                )}
              </td>
              <td>{part}</td>
              <td>
                <span className={`badge ${paymentStatus}`}>{paymentStatus}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
