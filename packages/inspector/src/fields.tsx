/** A field of text with its label. */
export function Field({
  label,
  value,
  onValue,
  isWrong = false,
  kind = "text",
}: {
  readonly label: string;
  readonly value: string;
  readonly onValue: (text: string) => void;
  readonly isWrong?: boolean;
  readonly kind?: "text" | "decimal" | "url" | "numeric";
}) {
  return (
    <label>
      {label}{" "}
      <input
        inputmode={kind}
        spellcheck={false}
        value={value}
        aria-invalid={isWrong}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    </label>
  );
}

/** A choice of one value. Options are words, or a value with its words. */
export function Choice({
  label,
  value,
  options,
  onValue,
  isLabelled = true,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (string | readonly [value: string, words: string])[];
  readonly onValue: (value: string) => void;
  /** False shows the label as the empty choice. */
  readonly isLabelled?: boolean;
}) {
  const select = (
    <select
      aria-label={isLabelled ? undefined : label}
      value={value}
      onChange={({ currentTarget }) => onValue(currentTarget.value)}
    >
      {!isLabelled && <option value="">{label}</option>}
      {options.map((one) => {
        const [own, words] = typeof one === "string" ? [one, one] : one;
        return (
          <option key={own} value={own}>
            {words}
          </option>
        );
      })}
    </select>
  );
  return isLabelled ? (
    <label>
      {label} {select}
    </label>
  ) : (
    select
  );
}

/** A choice of any number of words. */
export function Checkboxes({
  options,
  chosen,
  onChosen,
}: {
  readonly options: readonly string[];
  readonly chosen: readonly string[];
  readonly onChosen: (chosen: readonly string[]) => void;
}) {
  return (
    <div class="types">
      {options.map((one) => (
        <label key={one}>
          <input
            type="checkbox"
            checked={chosen.includes(one)}
            onChange={() =>
              onChosen(
                chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one],
              )
            }
          />{" "}
          {one}
        </label>
      ))}
    </div>
  );
}
