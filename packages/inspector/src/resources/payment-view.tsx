import { Time } from "../parts/time.tsx";
import { addressOf } from "../parts/use-place.ts";
import type { Payment } from "../remote/shapes.ts";
import { money } from "./money.ts";
import { MovePayment } from "./move-payment.tsx";
import { NewRefund } from "./new-refund.tsx";

/** One debit: what it is, how it moves, and a refund of it. */
export function PaymentView({ payment }: { readonly payment: Payment }) {
  const { paymentId, amount, paymentStatus, customerId, settlementDate, errorDetails } = payment;
  return (
    <article>
      <h1>Payment {money(amount)}</h1>
      <p className="facts">
        <span className="mono">{paymentId}</span>
        <span className={`badge ${paymentStatus}`}>{paymentStatus}</span>
        {payment.covered && <span className="badge bad">covered</span>}
      </p>
      <table>
        <tbody>
          <tr>
            <th scope="row">customer</th>
            <td>
              <a href={addressOf("customers", customerId)} className="mono">
                {customerId}
              </a>
            </td>
          </tr>
          <tr>
            <th scope="row">created</th>
            <td>
              <Time at={payment.creationDate} isLong />
            </td>
          </tr>
          <tr>
            <th scope="row">settled</th>
            <td>
              {settlementDate === undefined ? "not yet" : <Time at={settlementDate} isLong />}
            </td>
          </tr>
          {errorDetails !== undefined && (
            <tr>
              <th scope="row">{errorDetails.errorCode}</th>
              <td>{errorDetails.errorMessage}</td>
            </tr>
          )}
        </tbody>
      </table>
      <MovePayment paymentId={paymentId} />
      <h2>Ask for a refund</h2>
      <NewRefund paymentId={paymentId} />
    </article>
  );
}
