import { useState } from "react";
import { ActionButton } from "../parts/action-button.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { useAction } from "../parts/use-action.ts";

/** What the bank may do with a debit. */
const moves = [
  { label: "authorize", call: "authorize", hint: "It is processing" },
  { label: "settle", call: "settle", hint: "The money is there: its refunds wait their days" },
  { label: "fail", call: "fail", hint: "The customer's bank refuses: its waiting refunds fail" },
  { label: "cancel", call: "fail", hint: "As fail, with the status CANCELED" },
  { label: "cover", call: "cover", hint: "It falls into the service's cover" },
] as const;

/** The moves of a debit, each one call. */
export function MovePayment({ paymentId }: { readonly paymentId: string }) {
  const action = useAction();
  const [settledAt, setSettledAt] = useState("");
  const bodyOf = (label: string): object | undefined => {
    if (label === "cancel") return { status: "CANCELED" };
    return label === "settle" && settledAt !== "" ? { settledAt } : undefined;
  };
  return (
    <>
      <h2>Move it</h2>
      <div className="buttons">
        {moves.map(({ label, call, hint }) => (
          <ActionButton
            key={label}
            action={action}
            label={label}
            hint={hint}
            path={`/sandbox/payments/${paymentId}/${call}`}
            body={bodyOf(label)}
          />
        ))}
      </div>
      <details>
        <summary className="note">settle it at another time than now</summary>
        <div className="form">
          <label>
            settled at, UTC
            <input
              value={settledAt}
              placeholder="2026-11-02T15:00:00.000Z"
              spellCheck={false}
              onChange={(event) => setSettledAt(event.target.value)}
            />
          </label>
        </div>
      </details>
      <Refusal action={action} />
    </>
  );
}
