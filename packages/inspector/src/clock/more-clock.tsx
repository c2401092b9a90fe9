import { useEffect, useRef, useState, type RefObject } from "react";
import { ActionButton } from "../parts/action-button.tsx";
import type { Action } from "../parts/use-action.ts";
import { useInspector } from "../inspector-context.ts";

/** Durations that somebody moves a clock by, as ISO 8601 has them. */
const durations = ["PT1M", "PT1H", "P1D", "P7D", "P30D"] as const;

/** The clock's rarer moves, and the way back to an empty namespace. */
export function MoreClock({ now, action }: { readonly now: string; readonly action: Action }) {
  const { about } = useInspector();
  const [advance, setAdvance] = useState("P1D");
  const [instant, setInstant] = useState<string>();
  const [isSure, setSure] = useState(false);
  const panel = useDismissed();
  return (
    <details className="more" ref={panel}>
      <summary>more</summary>
      <div className="more-panel">
        <div className="form">
          <label>
            advance by
            <input
              list="durations"
              value={advance}
              onChange={(event) => setAdvance(event.target.value)}
            />
          </label>
          <datalist id="durations">
            {durations.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
          <ActionButton
            action={action}
            label="advance"
            method="PUT"
            path="/sandbox/clock"
            body={{ advance }}
          />
        </div>
        <div className="form">
          <label>
            set to, UTC
            <input
              value={instant ?? now}
              onChange={(event) => setInstant(event.target.value)}
              spellCheck={false}
            />
          </label>
          <ActionButton
            action={action}
            label="set"
            method="PUT"
            path="/sandbox/clock"
            body={{ now: instant ?? now }}
            onDone={() => setInstant(undefined)}
          />
        </div>
        <p className="note">
          Namespace <code>{about.merchantId}</code>, profile {about.profile}. A reset forgets
          everything in it; its token stays.
        </p>
        <div className="buttons">
          <label className="check">
            <input
              type="checkbox"
              checked={isSure}
              onChange={(event) => setSure(event.target.checked)}
            />
            forget everything
          </label>
          <ActionButton
            action={action}
            label="reset"
            path="/sandbox/reset"
            isOff={!isSure}
            onDone={() => setSure(false)}
          />
        </div>
      </div>
    </details>
  );
}

/** Closes at Escape and at a press elsewhere: it lies over what is below it. */
function useDismissed(): RefObject<HTMLDetailsElement | null> {
  const panel = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const dismiss = (event: Event): void => {
      const isElsewhere = event.target instanceof Node && !panel.current?.contains(event.target);
      const isEscape = event instanceof KeyboardEvent && event.key === "Escape";
      if (
        panel.current?.open === true &&
        (event instanceof KeyboardEvent ? isEscape : isElsewhere)
      ) {
        panel.current.open = false;
      }
    };
    for (const name of ["pointerdown", "keydown"]) addEventListener(name, dismiss);
    return () => {
      for (const name of ["pointerdown", "keydown"]) removeEventListener(name, dismiss);
    };
  }, []);
  return panel;
}
