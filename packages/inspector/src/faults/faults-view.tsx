import { useState } from "react";
import { useInspector } from "../inspector-context.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { CurlLine } from "../parts/curl-line.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { useAction } from "../parts/use-action.ts";
import { useReading } from "../parts/use-reading.ts";
import type { Fault } from "../remote/shapes.ts";
import { LatestDeliveries } from "./latest-deliveries.tsx";
import { FaultForm, faultPresets } from "./fault-form.tsx";

/** Faults that happen to coming calls, on either side. */
export function FaultsView() {
  const { about } = useInspector();
  const action = useAction();
  const reading = useReading<{ faults: readonly Fault[] }>("/sandbox/faults");
  const present = reading.at === "read" ? reading.value.faults : [];
  const [fault, setFault] = useState<Fault>(faultPresets[0].fault);
  const body = { faults: [...present, fault] };
  return (
    <div className="page">
      <h1>Faults</h1>
      <p className="note">
        A fault happens to the next calls of its place, as often as it says, and is gone. Faults on{" "}
        <code>attempt</code> are the merchant&apos;s side: below, the schedule reacts. The others
        are the service&apos;s answers.
      </p>
      <h2>Waiting to happen</h2>
      {present.length === 0 ? (
        <p className="note">None.</p>
      ) : (
        <ul className="faults">
          {present.map((one, index) => (
            <li key={`${String(index)} ${one.route}`}>
              <code>{one.route}</code> {one.kind} {one.status}{" "}
              {one.delayMs !== undefined && `${String(one.delayMs)} ms`}{" "}
              <span className="note">
                {one.times === 1 ? "once" : `${String(one.times)} times`}
              </span>
            </li>
          ))}
        </ul>
      )}
      <div className="buttons">
        <ActionButton
          action={action}
          label="end all faults"
          method="PUT"
          path="/sandbox/faults"
          body={{ faults: [] }}
          isOff={present.length === 0}
        />
      </div>
      <h2>Add one</h2>
      <div className="buttons">
        {faultPresets.map(({ name, fault: preset }) => (
          <button key={name} type="button" onClick={() => setFault(preset)}>
            {name}
          </button>
        ))}
      </div>
      <FaultForm fault={fault} routes={["attempt", ...about.faultRoutes]} onChange={setFault} />
      <div className="buttons">
        <ActionButton
          action={action}
          label="switch on"
          method="PUT"
          path="/sandbox/faults"
          body={body}
          isPrimary
        />
      </div>
      <Refusal action={action} />
      <CurlLine method="PUT" path="/sandbox/faults" body={JSON.stringify(body)} />
      <LatestDeliveries />
    </div>
  );
}
