import { checkHold, federalReserve, type Hold } from "@countersign/rules";
import { validateProfile } from "@countersign/schemas/profile-validator";
import type { Profile } from "@countersign/schemas/profiles";
import { signerOf } from "../delivery/signer.ts";
import { type ErrorCode, type ErrorCodeEntry, errorCodes } from "../error-codes.ts";
import { deprecatedOf } from "./deprecation.ts";
import { writeEnvelope } from "./envelope.ts";
import type { Policy } from "./policy.ts";

/**
 * Reads the choices of a profile for this service.
 *
 * @throws {TypeError} The profile is not valid, or requires something that this service does not support.
 */
export function policyOf(profile: Profile): Policy {
  requireProfile(profile);
  const { amount, catalogue, envelope, headers, limits, refund, statuses, subscription } = profile;
  const moved = new Map<string, number>(Object.entries(movedStatuses(statuses)));
  return {
    amount: {
      trailingZeros: amount.trailingZeros,
      exponent: amount.exponent,
      strings: amount.strings,
      minimumCents: BigInt(amount.minimumCents),
      maximumCents: BigInt(amount.maximumCents),
    },
    hold: holdOf(profile),
    refund: {
      duplicate: refund.duplicate,
      answers: refund.responsePaymentId,
      absentReference: refund.clientReferenceIdWhenAbsent,
      typoAlias: refund.typoAlias,
      lateReturn: refund.lateReturn,
      ...alphabetOf(refund.softDescriptor),
    },
    events: {
      catalogue,
      named: (kind) => catalogue.find((row) => row.kind === kind),
      envelope: (event) => writeEnvelope(envelope, event),
    },
    customer: {
      admits: (move) =>
        profile.customer.transitions.some(({ from, to }) => from === move.from && to === move.to),
    },
    subscription: {
      maxPerMerchant: subscription.maxPerMerchant,
      closed: subscription.closed,
      allWithDetails: subscription.allWithDetails,
    },
    acceptsSecret: secretJudge(profile),
    token: profile.token,
    rateLimit: profile.rateLimit,
    deprecated: deprecatedOf(profile),
    http: {
      errorBody: statuses.errorBody,
      statusOf: (code) => moved.get(code),
      refundCreated: statuses.refundCreated,
      subscribed: statuses.subscribed,
      isAcceptRequired: headers.acceptMissing === "error",
      isContentTypeOnGetRequired: headers.contentTypeOnGet === "error",
    },
    limits: {
      bodyBytes: limits.bodyBytes,
      depth: limits.depth,
      members: {
        "/paymentId": limits.identifier,
        "/subscriptionId": limits.identifier,
        "/requestKey": limits.key,
        "/url": limits.url,
      },
      softDescriptor: limits.softDescriptor,
      secretKey: secretBounds(limits),
    },
  };
}

/** A caller's handwritten document may not be a profile, whatever its type. */
function requireProfile(profile: Profile): void {
  const validation = validateProfile(profile);
  if (validation.ok) return;
  const faults = validation.errors.map(({ pointer, message }) => `${pointer} ${message}`);
  throw new TypeError(`invalid "profile": ${faults.join("; ")}`);
}

function holdOf({ hold: { closed, open, ...rest } }: Profile): Hold {
  const hold: Hold = { ...rest, calendar: { ...federalReserve, closed, open } };
  checkHold(hold);
  return hold;
}

type Alphabet = Pick<Policy["refund"], "softDescriptor" | "softDescriptorWords">;

function alphabetOf(name: Profile["refund"]["softDescriptor"]): Alphabet {
  switch (name) {
    case "alphanumeric":
      return {
        softDescriptor: /^[A-Za-z0-9 ]+$/,
        softDescriptorWords: "letters of A-Z and a-z, digits and spaces",
      };
    case "printable-ascii":
      return { softDescriptor: /^[ -~]+$/, softDescriptorWords: "printable ASCII characters" };
    default:
      return name satisfies never;
  }
}

/** A profile may be stricter than the call's schema, which requires 24 characters or more. */
function secretBounds({ secretKey }: Profile["limits"]): Policy["limits"]["secretKey"] {
  return { minimum: Math.max(24, secretKey.minimum), maximum: secretKey.maximum };
}

/**
 * Accepts a secret that the scheme can sign with. Refuses keys of an asymmetric pair: the merchant would
 * hand over the private key, or wait for signatures that no one can make with the public one.
 */
function secretJudge({ signature, limits }: Profile): Policy["acceptsSecret"] {
  const sign = signerOf({ signature });
  const { minimum, maximum } = secretBounds(limits);
  const probe = { id: "probe", timestamp: 0, body: new Uint8Array() };
  return (secretKey) => {
    if (secretKey.length < minimum || secretKey.length > maximum) return false;
    if (signature.scheme === "standard-webhooks" && /^wh[sp]k_/.test(secretKey)) return false;
    return sign(probe, secretKey) !== undefined;
  };
}

/** The status of a code under a profile, which changes some of the registry's. */
export function statusOf(statuses: Profile["statuses"], code: ErrorCode): number {
  const { status = 500 }: ErrorCodeEntry = errorCodes[code];
  return movedStatuses(statuses)[code] ?? status;
}

/** The statuses that a profile decides, by code. */
export function movedStatuses(
  statuses: Profile["statuses"],
): Readonly<Partial<Record<ErrorCode, number>>> {
  return {
    DUPLICATE_REQUEST_KEY: statuses.duplicateKey,
    REFUND_AMOUNT_EXCEEDS_REMAINING: statuses.business,
    PAYMENT_ALREADY_REFUNDED: statuses.business,
    PAYMENT_NOT_REFUNDABLE: statuses.business,
    SUBSCRIPTION_LIMIT_REACHED: statuses.business,
    INSUFFICIENT_SCOPE: statuses.forbidden,
  };
}
