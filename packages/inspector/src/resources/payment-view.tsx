import { useState } from "react";
import { ActionButton } from "../parts/action-button.tsx";
import { CurlLine } from "../parts/curl-line.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { Time } from "../parts/time.tsx";
import { useAction } from "../parts/use-action.ts";
import { addressOf } from "../parts/use-place.ts";
import type { Payment } from "../remote/shapes.ts";
import { isAmount, money } from "./money.ts";

const moves = ["authorize", "settle", "fail", "cover"] as const;

/** One debit: what it is, how it moves, and a refund of it. */
export function PaymentView({ payment }: { readonly payment: Payment }) {
  const action = useAction();
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
      <h2>Move it</h2>
      <div className="buttons">
        {moves.map((move) => (
          <ActionButton
            key={move}
            action={action}
            label={move}
            path={`/sandbox/payments/${paymentId}/${move}`}
          />
        ))}
      </div>
      <Refusal action={action} />
      <h2>Ask for a refund</h2>
      <NewRefund paymentId={paymentId} />
    </article>
  );
}

function NewRefund({ paymentId }: { readonly paymentId: string }) {
  const action = useAction();
  const [amount, setAmount] = useState("1.00");
  const [key, setKey] = useState(newKey);
  const value = isAmount(amount) ? amount : "0";
  const body = `{"paymentId":${JSON.stringify(paymentId)},"amount":{"currency":"USD","value":${value}},"requestKey":${JSON.stringify(key)}}`;
  return (
    <>
      <div className="form">
        <label>
          amount, USD
          <input
            inputMode="decimal"
            value={amount}
            aria-invalid={!isAmount(amount)}
            onChange={(event) => setAmount(event.target.value)}
          />
        </label>
        <label>
          request key
          <input value={key} onChange={(event) => setKey(event.target.value)} />
        </label>
        <ActionButton
          action={action}
          label="refund"
          path="/v1/refunds"
          body={body}
          isPrimary
          isOff={!isAmount(amount)}
          onDone={() => setKey(newKey())}
        />
      </div>
      <Refusal action={action} />
      <CurlLine method="POST" path="/v1/refunds" body={body} />
    </>
  );
}

function newKey(): string {
  return `refund-${crypto.randomUUID().slice(0, 8)}`;
}
