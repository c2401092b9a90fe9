import { useState } from "react";
import { ActionButton } from "../parts/action-button.tsx";
import { CurlLine } from "../parts/curl-line.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { useAction } from "../parts/use-action.ts";
import { addressOf } from "../parts/use-place.ts";
import { useReading } from "../parts/use-reading.ts";
import type { Customer } from "../remote/shapes.ts";
import { AmountField } from "./amount-field.tsx";
import { isAmount, jsonText } from "./money.ts";

/** Makes a payment of a customer. */
export function NewPayment() {
  const action = useAction();
  const reading = useReading<{ customers: readonly Customer[] }>("/sandbox/customers?limit=200");
  const customers = reading.at === "read" ? reading.value.customers : [];
  const linked = customers.filter(({ accountDetails }) => accountDetails !== undefined);
  const [chosen, setChosen] = useState<string>();
  const [amount, setAmount] = useState("10.50");
  const [reference, setReference] = useState("");
  const customerId = chosen ?? linked[0]?.id ?? "";
  const body = jsonText({ customerId, amount, clientReferenceId: reference });
  return (
    <article>
      <h1>A new payment</h1>
      <div className="form">
        <label>
          customer
          <select value={customerId} onChange={(event) => setChosen(event.target.value)}>
            {linked.map(({ id, firstName, lastName }) => (
              <option key={id} value={id}>
                {firstName} {lastName} · {id}
              </option>
            ))}
          </select>
        </label>
        <AmountField value={amount} onChange={setAmount} />
        <label>
          reference, optional
          <input value={reference} onChange={(event) => setReference(event.target.value)} />
        </label>
        <ActionButton
          action={action}
          label="create"
          path="/sandbox/payments"
          body={body}
          isPrimary
          isOff={customerId === "" || !isAmount(amount)}
          onDone={({ paymentId }) => (location.hash = addressOf("payments", String(paymentId)))}
        />
      </div>
      {reading.at === "read" && linked.length === 0 && (
        <p className="note">
          No customer has a linked account: link one under{" "}
          <a href={addressOf("customers")}>Customers</a> first.
        </p>
      )}
      <Refusal action={action} />
      <CurlLine method="POST" path="/sandbox/payments" body={body} />
    </article>
  );
}
