import { useState } from "react";
import { ActionButton } from "../parts/action-button.tsx";
import { CurlLine } from "../parts/curl-line.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { useAction } from "../parts/use-action.ts";
import { useReading } from "../parts/use-reading.ts";
import type { Customer } from "../remote/shapes.ts";
import { isAmount } from "./money.ts";

/** Makes a payment of a customer. */
export function NewPayment() {
  const action = useAction();
  const reading = useReading<{ customers: readonly Customer[] }>("/sandbox/customers?limit=200");
  const customers = reading.at === "read" ? reading.value.customers : [];
  const linked = customers.filter(({ accountDetails }) => accountDetails !== undefined);
  const [chosen, setChosen] = useState<string>();
  const [amount, setAmount] = useState("10.50");
  const customerId = chosen ?? linked[0]?.id ?? "";
  const body = `{"customerId":${JSON.stringify(customerId)},"amount":{"currency":"USD","value":${isAmount(amount) ? amount : "0"}}}`;
  return (
    <article>
      <h1>A new payment</h1>
      <p className="note">Select a payment on the list to move it, or make one.</p>
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
        <label>
          amount, USD
          <input
            inputMode="decimal"
            value={amount}
            aria-invalid={!isAmount(amount)}
            onChange={(event) => setAmount(event.target.value)}
          />
        </label>
        <ActionButton
          action={action}
          label="create"
          path="/sandbox/payments"
          body={body}
          isPrimary
          isOff={customerId === "" || !isAmount(amount)}
        />
      </div>
      {reading.at === "read" && linked.length === 0 && (
        <p className="note">No customer has a linked account: link one under Customers first.</p>
      )}
      <Refusal action={action} />
      <CurlLine method="POST" path="/sandbox/payments" body={body} />
    </article>
  );
}
