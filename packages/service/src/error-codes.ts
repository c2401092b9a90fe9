import type { JsonErrorCode } from "@countersign/rules";

/** The meaning of a code to a client. */
export interface ErrorCodeEntry {
  /** Status of the answer that carries it (S 7.5); `undefined` if it is the reason of a failed refund. */
  readonly status: number | undefined;
  /** One sentence: the `errorMessage` unless the case has a more precise one. */
  readonly meaning: string;
}

/**
 * Every `errorCode` of this service (S 7, rules 2 and 4). Codes are never renamed. The meanings are those of the standard
 * profile; an answer has the bounds of the service that sends it (`meaningOf`).
 */
export const errorCodes = {
  CUSTOMER_NOT_DEBITED: { status: undefined, meaning: "The original debit was not successful." },
  REFUND_RETURNED: { status: undefined, meaning: "The receiving bank returned the refund." },
  DUPLICATE_REQUEST_KEY: { status: 409, meaning: "A payment record with this requestKey exists." },
  REFUND_AMOUNT_EXCEEDS_REMAINING: {
    status: 422,
    meaning: "The amount is larger than the remaining amount of the payment.",
  },
  PAYMENT_ALREADY_REFUNDED: {
    status: 422,
    meaning: "The whole amount of the payment has been refunded.",
  },
  PAYMENT_NOT_REFUNDABLE: { status: 422, meaning: "The payment is itself a refund." },
  PAYMENT_NOT_FOUND: { status: 404, meaning: "The payment does not exist." },
  CUSTOMER_NOT_FOUND: { status: 404, meaning: "The customer does not exist." },
  SUBSCRIPTION_NOT_FOUND: { status: 404, meaning: "The subscription does not exist." },
  SUBSCRIPTION_CLOSED: { status: 410, meaning: "The subscription has been closed." },
  SUBSCRIPTION_LIMIT_REACHED: {
    status: 422,
    meaning: "The merchant has the maximum number of open subscriptions.",
  },
  INVALID_REQUEST: { status: 400, meaning: "The request is invalid." },
  INVALID_AMOUNT: {
    status: 400,
    meaning:
      "The amount must be a JSON number from 0.01 to 99999999.99 with at most two digits after the separator.",
  },
  UNSUPPORTED_CURRENCY: { status: 400, meaning: "The currency must be USD." },
  INVALID_SOFT_DESCRIPTOR: {
    status: 400,
    meaning: "The softDescriptor must be 1 to 80 letters of A-Z and a-z, digits and spaces.",
  },
  INVALID_SUBSCRIPTION_DETAILS: {
    status: 400,
    meaning: "The type must be EVENT, CATEGORY or ALL, with details that belong to it.",
  },
  UNKNOWN_EVENT: { status: 400, meaning: "An event named in details is not in the catalogue." },
  INVALID_URL: {
    status: 400,
    meaning:
      "The url must be an absolute https address of at most 2048 ASCII characters, without credentials, fragment and private IP address.",
  },
  WEAK_SECRET: {
    status: 400,
    meaning:
      "The secretKey must be 24 to 256 printable ASCII characters without spaces that the signature scheme takes, and not the client's own secret.",
  },
  UNAUTHENTICATED: { status: 401, meaning: "The call needs a valid access token." },
  INSUFFICIENT_SCOPE: {
    status: 403,
    meaning: "The access token does not have the scope that this call needs.",
  },
  NOT_FOUND: { status: 404, meaning: "No resource exists at this path." },
  METHOD_NOT_ALLOWED: { status: 405, meaning: "The path does not support this method." },
  NOT_ACCEPTABLE: { status: 406, meaning: "This service answers in application/json." },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: "The body is larger than this service accepts." },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: "The body must be application/json in UTF-8, without content coding.",
  },
  RATE_LIMITED: {
    status: 429,
    meaning: "Too many calls were made; wait as long as Retry-After says.",
  },
  INTERNAL_SERVER_ERROR: { status: 500, meaning: "The service failed to process the call." },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: "The service stored nothing; the call may be repeated.",
  },
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** The kinds of mistakes in a member that no `errorCode` names. Codes are never renamed. */
export const memberCodes = {
  MISSING_MEMBER: { meaning: "The member is required." },
  UNKNOWN_MEMBER: { meaning: "This call has no such member." },
  INVALID_VALUE: { meaning: "The value does not have the expected form." },
  CONTRADICTION: { meaning: "Two places of the request contradict each other." },
  JSON_EMPTY: { meaning: "The body is empty." },
  JSON_SYNTAX: { meaning: "The body is not JSON (RFC 8259)." },
  JSON_ENCODING: { meaning: "The body is not well-formed UTF-8." },
  JSON_BOM: { meaning: "The body begins with a byte order mark." },
  JSON_LONE_SURROGATE: { meaning: "A string contains half of a surrogate pair." },
  JSON_DUPLICATE_MEMBER: { meaning: "An object has a member twice." },
  JSON_FORBIDDEN_MEMBER: { meaning: "A member name is reserved, such as `__proto__`." },
  JSON_DEPTH: { meaning: "The body is nested more deeply than this service accepts." },
  JSON_POINTERS: { meaning: "The JSON Pointers of the body's numbers are too long." },
} as const;

export type MemberCode = keyof typeof memberCodes;

/** Codes of lines that contradict the stored records in `countersign serve import`, in addition to `errorCodes`. Codes are never renamed. */
export const importCodes = {
  CLIENT_DISABLED: { meaning: "The client is disabled." },
  CLIENT_ID_TAKEN: { meaning: "Another merchant's client has this id." },
  CUSTOMER_ID_TAKEN: { meaning: "Another merchant's customer has this id." },
  CUSTOMER_NOT_LINKED: { meaning: "The customer has no linked account." },
  INVALID_TRANSITION: { meaning: "The present state does not admit this move." },
  MERCHANT_NOT_FOUND: { meaning: "The merchant does not exist." },
  PAYMENT_ID_TAKEN: { meaning: "Another payment has this id." },
  RECORD_DIFFERS: {
    meaning: "The stored record has another value, which an import does not change.",
  },
  SETTLED_AT_OUT_OF_RANGE: {
    meaning: "The time is before the payment's creation or in the future.",
  },
} as const;

/** The member code of an error of the JSON parser. */
export const memberCodeOfJson = (code: JsonErrorCode): MemberCode =>
  // The cast: `memberCodes` has the parser's codes, without their prefix.
  code.slice("CS_".length) as MemberCode;
