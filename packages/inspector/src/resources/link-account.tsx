import { useState } from "react";
import { useInspector } from "../inspector-context.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { CurlLine } from "../parts/curl-line.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { useAction } from "../parts/use-action.ts";

/** Links a bank account to a customer, of one of the profile's types. */
export function LinkAccount({ customerId }: { readonly customerId: string }) {
  const { about } = useInspector();
  const action = useAction();
  const [financialInstitutionName, setInstitution] = useState("First Sample Bank");
  const [accountLastFourDigits, setLastFour] = useState("6789");
  const [accountType, setType] = useState(about.accountTypes[0] ?? "");
  const [preferred, setPreferred] = useState(true);
  const path = `/sandbox/customers/${customerId}/link`;
  const body = { financialInstitutionName, accountLastFourDigits, accountType, preferred };
  return (
    <>
      <h2>Link an account</h2>
      <div className="form">
        <label>
          institution
          <input
            value={financialInstitutionName}
            onChange={(event) => setInstitution(event.target.value)}
          />
        </label>
        <label>
          last four digits
          <input
            inputMode="numeric"
            maxLength={4}
            value={accountLastFourDigits}
            onChange={(event) => setLastFour(event.target.value)}
          />
        </label>
        <label>
          type
          <select value={accountType} onChange={(event) => setType(event.target.value)}>
            {about.accountTypes.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={preferred}
            onChange={(event) => setPreferred(event.target.checked)}
          />
          preferred
        </label>
        <ActionButton action={action} label="link" path={path} body={body} isPrimary />
      </div>
      <Refusal action={action} />
      <CurlLine method="POST" path={path} body={JSON.stringify(body)} />
    </>
  );
}
