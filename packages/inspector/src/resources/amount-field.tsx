import { isAmount } from "./money.ts";

/** An amount in dollars, as text whose digits are sent as they stand. */
export function AmountField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <label>
      amount, USD
      <input
        inputMode="decimal"
        value={value}
        aria-invalid={!isAmount(value)}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}
