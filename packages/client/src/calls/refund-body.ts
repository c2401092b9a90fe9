import type { InvalidMember } from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import { validateRefundRequest } from "@countersign/schemas/writers";
import { amountText } from "../amount.ts";
import { invalidMembers } from "./members.ts";

/** A requested refund (S 4.1), in US dollars. */
export interface RefundOrder {
  /** The original (debit) payment. */
  readonly paymentId: string;
  /** `"10.50"`, or cents as a `bigint`. */
  readonly amount: string | bigint;
  /**
   * The merchant's unique key of this refund, 1 to 255 printable ASCII characters. Store it before the
   * call: a call with the same key requests the same refund, a call with another key a second one.
   */
  readonly requestKey: string;
  /** The merchant's identifier, 1 to 255 characters; returned unchanged. */
  readonly clientReferenceId?: string | undefined;
  /** For the customer's bank statement: 1 to 80 letters, digits and spaces. */
  readonly softDescriptor?: string | undefined;
}

export type RefundBody =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly errors: readonly InvalidMember[] };

const PRINTABLE_ASCII = /^[ -~]+$/;

/** The JSON of a refund request, its amount with exactly two digits after the separator. */
export function refundBody(order: RefundOrder, profile: Profile): RefundBody {
  const { paymentId, amount, requestKey, clientReferenceId, softDescriptor } = order;
  const written = amountText(amount, profile.amount);
  const { softDescriptor: alphabet } = profile.refund;
  const isOwnAlphabet =
    alphabet === "printable-ascii" &&
    typeof softDescriptor === "string" &&
    softDescriptor.length <= profile.limits.softDescriptor &&
    PRINTABLE_ASCII.test(softDescriptor);
  const members = {
    paymentId,
    requestKey,
    ...(clientReferenceId !== undefined && { clientReferenceId }),
    ...(softDescriptor !== undefined && { softDescriptor }),
  };
  const validation = validateRefundRequest({
    ...members,
    // Validated above, by its text.
    amount: { currency: "USD", value: 1 },
    ...(isOwnAlphabet && { softDescriptor: "judged above" }),
  });
  if (validation.ok && written.ok) {
    const amountJson = `{"currency":"USD","value":${written.text}}`;
    return { ok: true, text: `{"amount":${amountJson},${JSON.stringify(members).slice(1)}` };
  }
  const errors = validation.ok ? [] : invalidMembers(validation.errors);
  return {
    ok: false,
    errors: written.ok ? errors : [...errors, { pointer: "/amount", code: written.code }],
  };
}
