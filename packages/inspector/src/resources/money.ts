/** An amount as people read it, with its two digits. */
export function money({
  currency,
  value,
}: {
  readonly currency: string;
  readonly value: number;
}): string {
  return `${value.toFixed(2)} ${currency}`;
}

/** Whether a text is an amount as S 2.1 has it; sent as it stands, so that its digits are kept. */
export function isAmount(text: string): boolean {
  return /^(?:0|[1-9]\d*)(?:\.\d{1,2})?$/.test(text);
}

/**
 * The JSON text of a call that names an amount: its digits as they stand, and no member of empty text.
 *
 * @param members Text members, and `amount` as `isAmount` takes it.
 */
export function jsonText({
  amount,
  ...members
}: Readonly<Record<string, string>> & { readonly amount: string }): string {
  const texts = Object.entries(members)
    .filter(([, text]) => text !== "")
    .map(([name, text]) => `${JSON.stringify(name)}:${JSON.stringify(text)}`);
  const value = isAmount(amount) ? amount : "0";
  return `{${[...texts, `"amount":{"currency":"USD","value":${value}}`].join(",")}}`;
}
