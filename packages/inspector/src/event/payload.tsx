import { useState } from "react";
import { Code } from "../parts/code.tsx";
import type { ToldEvent } from "../remote/shapes.ts";
import { formatted } from "./formatted.ts";

/** An event's payload: to read, or the very bytes that are signed and sent. */
export function Payload({ event }: { readonly event: ToldEvent }) {
  const [form, setForm] = useState<"formatted" | "raw">("formatted");
  const bytes = new TextEncoder().encode(event.payload).length;
  return (
    <>
      <div className="buttons" role="group" aria-label="Form of the payload">
        {(["formatted", "raw"] as const).map((one) => (
          <button key={one} type="button" aria-pressed={form === one} onClick={() => setForm(one)}>
            {one === "raw" ? "as sent" : "formatted"}
          </button>
        ))}
      </div>
      {form === "raw" ? (
        <Code text={event.payload} label={`${bytes.toLocaleString()} bytes, as they are signed`} />
      ) : (
        <Code text={formatted(event.payload)} label="formatted" wraps={false} />
      )}
    </>
  );
}
