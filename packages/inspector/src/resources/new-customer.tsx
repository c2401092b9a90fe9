import { useState } from "react";
import { ActionButton } from "../parts/action-button.tsx";
import { CurlLine } from "../parts/curl-line.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { useAction } from "../parts/use-action.ts";
import { addressOf } from "../parts/use-place.ts";

/** Makes a customer. */
export function NewCustomer() {
  const action = useAction();
  const [firstName, setFirstName] = useState("Ada");
  const [lastName, setLastName] = useState("Sample");
  const [email, setEmail] = useState("ada.sample@example.test");
  const body = { firstName, lastName, email };
  return (
    <article>
      <h1>A new customer</h1>
      <div className="form">
        <label>
          first name
          <input value={firstName} onChange={(event) => setFirstName(event.target.value)} />
        </label>
        <label>
          last name
          <input value={lastName} onChange={(event) => setLastName(event.target.value)} />
        </label>
        <label>
          e-mail
          <input value={email} onChange={(event) => setEmail(event.target.value)} />
        </label>
        <ActionButton
          action={action}
          label="create"
          path="/sandbox/customers"
          body={body}
          isPrimary
          onDone={({ id }) => (location.hash = addressOf("customers", String(id)))}
        />
      </div>
      <Refusal action={action} />
      <CurlLine method="POST" path="/sandbox/customers" body={JSON.stringify(body)} />
    </article>
  );
}
