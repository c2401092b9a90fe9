import { formatAmount, parseAmount, type AmountErrorCode } from "@countersign/rules";
import type { Profile } from "@countersign/schemas/profiles";

export type AmountText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly code: AmountErrorCode };

/**
 * An amount of dollars as it is written into a request: exactly two digits after the separator
 * (S 2.1), whatever the caller wrote.
 *
 * @param amount `"10.50"` (`"10.5"` and `"10"` too), or cents as a `bigint`. A number is refused: it
 *   may have been another amount before it became a binary fraction.
 */
export function amountText(
  amount: string | bigint,
  { minimumCents, maximumCents }: Pick<Profile["amount"], "minimumCents" | "maximumCents">,
): AmountText {
  const cents = centsOf(amount);
  if (!cents.ok) return cents;
  if (cents.cents < minimumCents) return { ok: false, code: "CS_AMOUNT_TOO_SMALL" };
  if (cents.cents > maximumCents) return { ok: false, code: "CS_AMOUNT_TOO_LARGE" };
  return { ok: true, text: formatAmount(cents.cents) };
}

function centsOf(amount: unknown): ReturnType<typeof parseAmount> {
  if (typeof amount === "bigint") return { ok: true, cents: amount };
  if (typeof amount === "string") return parseAmount(amount);
  return { ok: false, code: "CS_AMOUNT_NOT_A_NUMBER" };
}
