import { useInspector } from "../inspector-context.ts";

/** What a call to subscribe or unsubscribe names (S 2.5). */
export interface Details {
  readonly type: "EVENT" | "CATEGORY" | "ALL";
  readonly details: readonly string[];
}

export interface ChooseEventsProps {
  readonly value: Details;
  readonly onChange: (value: Details) => void;
}

/** Everything, some categories, or some events by name. */
export function ChooseEvents({ value, onChange }: ChooseEventsProps) {
  const { about } = useInspector();
  const names =
    value.type === "CATEGORY"
      ? [...new Set(about.events.map(({ category }) => category))]
      : value.type === "EVENT"
        ? about.events.map(({ type }) => type)
        : [];
  const toggle = (name: string): void => {
    const rest = value.details.filter((one) => one !== name);
    const details = rest.length === value.details.length ? [...rest, name] : rest;
    onChange({ ...value, details });
  };
  return (
    <fieldset>
      <legend>events</legend>
      <div className="buttons">
        {(["ALL", "CATEGORY", "EVENT"] as const).map((type) => (
          <button
            key={type}
            type="button"
            aria-pressed={value.type === type}
            onClick={() => onChange({ type, details: [] })}
          >
            {type}
          </button>
        ))}
      </div>
      <div className="checks">
        {names.map((name) => (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={value.details.includes(name)}
              onChange={() => toggle(name)}
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** The details as the interface takes them. */
export function detailsOf({ type, details }: Details): object {
  return type === "ALL" ? { type } : { type, details };
}
