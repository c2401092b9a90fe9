import { formatAmount } from "@countersign/rules";
import type { EndpointPolicy } from "../delivery/egress/endpoint-url.ts";
import { type ErrorCode, errorCodes } from "../error-codes.ts";
import type { Policy } from "./policy.ts";

/** The choices that the sentences of an answer name. */
export interface Wording {
  readonly policy: Policy;
  readonly endpoints: EndpointPolicy;
}

/** Returns the registry's meaning of a code, with the bounds of this service's profile and options. */
export function meaningOf(wording: Wording, code: ErrorCode): string {
  return meaningsWithBounds[code]?.(wording) ?? errorCodes[code].meaning;
}

const meaningsWithBounds: Partial<Record<ErrorCode, (wording: Wording) => string>> = {
  INVALID_URL: ({ policy: { limits }, endpoints: { allowLoopback, ports } }) => {
    const scheme = allowLoopback ? "https address, or http to a loopback host," : "https address";
    const port = ports === undefined ? "" : `, on port ${ports.join(" or ")}`;
    return `The url must be an absolute ${scheme} of at most ${limits.members["/url"]} ASCII characters, without credentials and fragment${port}.`;
  },
  INVALID_AMOUNT: ({ policy: { amount } }) => {
    const form =
      amount.strings === "accept" ? "a JSON number, or the text of one," : "a JSON number";
    const range = `from ${formatAmount(amount.minimumCents)} to ${formatAmount(amount.maximumCents)}`;
    const zeros = amount.trailingZeros === "accept" ? ", apart from trailing zeros" : "";
    return `The amount must be ${form} ${range} with at most two digits after the separator${zeros}.`;
  },
  INVALID_SOFT_DESCRIPTOR: ({ policy: { limits, refund } }) =>
    `The softDescriptor must be 1 to ${limits.softDescriptor} ${refund.softDescriptorWords}.`,
  WEAK_SECRET: ({ policy: { limits } }) => {
    const { minimum, maximum } = limits.secretKey;
    return `The secretKey must be ${minimum} to ${maximum} printable ASCII characters without spaces that the signature scheme takes, and not the client's own secret.`;
  },
};

/** The form of a text member in words, by JSON Pointer; `undefined` if it has no description. */
export function formOf({ policy }: Wording, pointer: string): string | undefined {
  const limit = policy.limits.members[pointer];
  switch (pointer) {
    case "":
      return "must be a JSON object";
    case "/paymentId":
    case "/subscriptionId":
      return `must be 1 to ${limit} characters of A-Z, a-z, 0-9, _ and -`;
    case "/requestKey":
      return `must be 1 to ${limit} printable ASCII characters`;
    case "/clientReferenceId":
    case "/clientRefefenceId":
      return "must be 1 to 255 characters, none of them a control character";
    default:
      return undefined;
  }
}
