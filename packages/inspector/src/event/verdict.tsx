import { validateEvent } from "@countersign/schemas/writers";
import { useMemo } from "react";
import { useInspector } from "../inspector-context.ts";
import type { ToldEvent } from "../remote/shapes.ts";

/** What the schema says of a payload: fits, or each fault with its JSON Pointer. */
export function Verdict({ event }: { readonly event: ToldEvent }) {
  const { about } = useInspector();
  const judged = useMemo(() => validateEvent(read(event.payload)), [event.payload]);
  if (!about.isStandardEnvelope) {
    return (
      <p className="note">
        The profile {about.profile} has an envelope of its own, which this page does not judge.
      </p>
    );
  }
  if (judged.ok) {
    return (
      <p>
        <span className="badge good">fits the schema</span>{" "}
        <span className="note">schemas/events, {event.type}, written closed</span>
      </p>
    );
  }
  return (
    <>
      <p>
        <span className="badge bad">does not fit the schema</span>
      </p>
      <ul className="faults">
        {judged.errors.map(({ pointer, keyword, message }) => (
          <li key={`${pointer} ${keyword}`}>
            <code>{pointer === "" ? "(the whole)" : pointer}</code> {message}
          </li>
        ))}
      </ul>
    </>
  );
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
