import type { Fault } from "../remote/shapes.ts";

/** Faults that somebody wants to see first. */
export const faultPresets = [
  {
    name: "receiver answers 500",
    fault: { route: "attempt", kind: "status", status: 500, times: 3 },
  },
  {
    name: "receiver is gone (410)",
    fault: { route: "attempt", kind: "status", status: 410, times: 1 },
  },
  { name: "connection reset", fault: { route: "attempt", kind: "reset", times: 1 } },
  { name: "answer lost", fault: { route: "attempt", kind: "lost", times: 1 } },
  { name: "receiver is slow", fault: { route: "attempt", kind: "delay", delayMs: 3000, times: 1 } },
  {
    name: "refund answers 503",
    fault: { route: "POST /v1/refunds", kind: "status", status: 503, times: 1 },
  },
  { name: "refund's answer lost", fault: { route: "POST /v1/refunds", kind: "lost", times: 1 } },
] as const satisfies readonly { readonly name: string; readonly fault: Fault }[];

export interface FaultFormProps {
  readonly fault: Fault;
  readonly routes: readonly string[];
  readonly onChange: (fault: Fault) => void;
}

const kinds = ["status", "delay", "reset", "lost"] as const;

/** Where, what, how often. */
export function FaultForm({ fault, routes, onChange }: FaultFormProps) {
  const { route, kind, times } = fault;
  const number = (text: string): number => Number(text.replaceAll(/\D/g, "").slice(0, 5));
  const choose = (text: string): void => {
    const chosen = kinds.find((one) => one === text) ?? "status";
    onChange({
      route,
      kind: chosen,
      times,
      ...(chosen === "status" && { status: 500 }),
      ...(chosen === "delay" && { delayMs: 1000 }),
    });
  };
  return (
    <div className="form">
      <label>
        where
        <select
          value={route}
          onChange={(event) => onChange({ ...fault, route: event.target.value })}
        >
          {routes.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        what
        <select value={kind} onChange={(event) => choose(event.target.value)}>
          {kinds.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {fault.status !== undefined && (
        <label>
          status
          <input
            inputMode="numeric"
            value={fault.status}
            onChange={(event) => onChange({ ...fault, status: number(event.target.value) })}
          />
        </label>
      )}
      {fault.kind === "status" && (
        <label>
          Retry-After, seconds, optional
          <input
            inputMode="numeric"
            value={fault.retryAfterSeconds ?? ""}
            onChange={({ target }) => {
              const { retryAfterSeconds: _, ...rest } = fault;
              const seconds =
                target.value === "" ? {} : { retryAfterSeconds: number(target.value) };
              onChange({ ...rest, ...seconds });
            }}
          />
        </label>
      )}
      {fault.delayMs !== undefined && (
        <label>
          milliseconds
          <input
            inputMode="numeric"
            value={fault.delayMs}
            onChange={(event) => onChange({ ...fault, delayMs: number(event.target.value) })}
          />
        </label>
      )}
      <label>
        how often
        <input
          inputMode="numeric"
          value={times}
          onChange={(event) => onChange({ ...fault, times: number(event.target.value) })}
        />
      </label>
    </div>
  );
}
