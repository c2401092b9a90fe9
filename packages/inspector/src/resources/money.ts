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
