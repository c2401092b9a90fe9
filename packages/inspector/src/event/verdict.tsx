import { useMemo } from "react";
import { useInspector } from "../inspector-context.ts";
import type { ToldEvent } from "../remote/shapes.ts";
import { judgePayload } from "./judge-payload.ts";

/** What the schemas say of a payload: fits, or each fault with its JSON Pointer. */
export function Verdict({ event }: { readonly event: ToldEvent }) {
  const { about } = useInspector();
  const { by, faults } = useMemo(() => judgePayload(event, about), [event, about]);
  if (faults.length === 0) {
    return (
      <p>
        <span className="badge good">fits the schema</span> <span className="note">{by}</span>
      </p>
    );
  }
  return (
    <>
      <p>
        <span className="badge bad">does not fit the schema</span>{" "}
        <span className="note">{by}</span>
      </p>
      <ul className="faults">
        {faults.map(({ pointer, message }) => (
          <li key={`${pointer} ${message}`}>
            <code>{pointer === "" ? "(the whole)" : pointer}</code> {message}
          </li>
        ))}
      </ul>
    </>
  );
}
