import { type Hold, checkHold, federalReserve } from "@countersign/rules";
import { noMembers, putAt } from "@countersign/schemas";
import { validateProfile } from "@countersign/schemas/profile-validator";
import type { Profile } from "@countersign/schemas/profiles";
import { signerOf } from "../delivery/attempt.ts";
import { type ErrorCode, type ErrorCodeEntry, errorCodes } from "../error-codes.ts";
import type { EnvelopeMembers, Policy } from "./policy.ts";

/**
 * Reads the choices of a profile for this service.
 *
 * @throws {TypeError} The profile is not valid, or requires something that this service does not support.
 */
export function policyOf(profile: Profile): Policy {
  requireProfile(profile);
  const { amount, catalogue, envelope, limits, refund, statuses, subscription } = profile;
  const moved = new Map<string, number>(Object.entries(movedStatuses(statuses)));
  return {
    hasPayments: profile.payments === true,
    amount: {
      minimumCents: BigInt(amount.minimumCents),
      maximumCents: BigInt(amount.maximumCents),
    },
    hold: holdOf(profile),
    refund: {
      duplicate: refund.duplicate,
      answers: refund.responsePaymentId,
      absentReference: refund.clientReferenceIdWhenAbsent,
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
    },
    acceptsSecret: secretJudge(profile),
    token: profile.token,
    rateLimit: profile.rateLimit,
    http: {
      errorBody: statuses.errorBody,
      statusOf: (code) => moved.get(code),
      refundCreated: statuses.refundCreated,
      subscribed: statuses.subscribed,
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
function movedStatuses(
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

type Members = Record<string, unknown>;

/**
 * Writes an event in the profile's form (S 6, rule 5): each member at its JSON Pointer. A pointer of `""`
 * puts the resource's own members next to the others.
 *
 * If the catalogue names a place for the resource's id that the resource does not fill itself, the id is
 * written there, and the kind of resource next to it, which distinguishes a refund and a debit with one
 * event name.
 */
export function writeEnvelope(places: Profile["envelope"], event: EnvelopeMembers): object {
  const root = noMembers();
  putAt(root, places.id, event.id);
  putAt(root, places.type, event.type);
  if (places.category !== undefined) putAt(root, places.category, event.category);
  putAt(root, places.timestamp, event.timestamp);
  for (const [name, value] of Object.entries(event.data)) {
    putAt(root, `${places.data}/${name}`, value);
  }
  if (!has(root, event.resource)) {
    const beside = event.resource.slice(0, event.resource.lastIndexOf("/"));
    putAt(root, event.resource, event.subject.id);
    putAt(root, `${beside}/resourceType`, event.subject.type);
    const { paymentType } = event.subject;
    if (paymentType !== undefined) putAt(root, `${beside}/paymentType`, paymentType);
  }
  return root;
}

function has(root: Members, pointer: string): boolean {
  let at: unknown = root;
  for (const name of pointer.slice(1).split("/")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return false;
    // An object that has the name.
    at = (at as Members)[name];
  }
  return true;
}
