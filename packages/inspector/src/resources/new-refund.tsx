import { useState } from "react";
import { ActionButton } from "../parts/action-button.tsx";
import { CurlLine } from "../parts/curl-line.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { useAction } from "../parts/use-action.ts";
import { addressOf } from "../parts/use-place.ts";
import { AmountField } from "./amount-field.tsx";
import { isAmount, jsonText } from "./money.ts";

/** Asks for a refund of a payment (S 4.1). */
export function NewRefund({ paymentId }: { readonly paymentId: string }) {
  const action = useAction();
  const [amount, setAmount] = useState("1.00");
  const [requestKey, setRequestKey] = useState(newKey);
  const [softDescriptor, setDescriptor] = useState("");
  const [clientReferenceId, setReference] = useState("");
  const body = jsonText({ paymentId, amount, requestKey, softDescriptor, clientReferenceId });
  return (
    <>
      <div className="form">
        <AmountField value={amount} onChange={setAmount} />
        <label>
          request key
          <input value={requestKey} onChange={(event) => setRequestKey(event.target.value)} />
        </label>
        <label>
          descriptor, optional
          <input value={softDescriptor} onChange={(event) => setDescriptor(event.target.value)} />
        </label>
        <label>
          reference, optional
          <input value={clientReferenceId} onChange={(event) => setReference(event.target.value)} />
        </label>
        <ActionButton
          action={action}
          label="refund"
          path="/v1/refunds"
          body={body}
          isPrimary
          isOff={!isAmount(amount)}
          onDone={(answer) => {
            setRequestKey(newKey());
            location.hash = addressOf("payments", String(answer["paymentId"]));
          }}
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
