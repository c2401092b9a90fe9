import { useState } from "react";
import { useInspector } from "../inspector-context.ts";
import { CallRefused } from "../remote/remote.ts";
import type { SignatureSteps } from "../remote/shapes.ts";
import { SignatureResult } from "./signature-result.tsx";

export interface SignatureProps {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly payload: string;
}

/** Verifies an attempt's signature step by step, as sent or as a receiver says that it came. */
export function SignatureView({ deliveryId, attempt, payload }: SignatureProps) {
  const { remote } = useInspector();
  const [body, setBody] = useState(payload);
  const [signature, setSignature] = useState<string>();
  const [steps, setSteps] = useState<SignatureSteps>();
  const [refusal, setRefusal] = useState<string>();
  const verify = async (): Promise<void> => {
    const order = { deliveryId, attempt, body, ...(signature !== undefined && { signature }) };
    try {
      setSteps(await remote.ask<SignatureSteps>("/sandbox/inspect/signatures", order));
      setRefusal(undefined);
    } catch (error) {
      setRefusal(error instanceof CallRefused ? error.message : "The sandbox does not answer.");
    }
  };
  return (
    <details
      className="signature"
      onToggle={(event) => {
        if (event.currentTarget.open && steps === undefined) void verify();
      }}
    >
      <summary>verify this signature</summary>
      <p className="note">
        Paste what your receiver got, and see where it differs. The secret stays in the sandbox.
      </p>
      <label>
        body as received
        <textarea
          rows={4}
          spellCheck={false}
          value={body}
          onChange={(event) => setBody(event.target.value)}
        />
      </label>
      <label>
        signature as received
        <textarea
          rows={1}
          spellCheck={false}
          value={signature ?? steps?.received ?? ""}
          onChange={(event) => setSignature(event.target.value)}
        />
      </label>
      <button type="button" onClick={() => void verify()}>
        verify
      </button>
      {refusal !== undefined && (
        <p className="refusal" role="alert">
          {refusal}
        </p>
      )}
      {steps !== undefined && <SignatureResult steps={steps} payload={payload} body={body} />}
    </details>
  );
}
