/**
 * Every reason for which `verify` refuses an attempt, each with one line of meaning. The list is
 * closed: a code is never renamed and never reused. For logs and metrics; a sender that cannot
 * sign must not learn more from an answer than that the attempt is refused.
 */
export const signatureErrorCodes = {
  CS_SIGNATURE_HEADER_MISSING: "A header of the scheme is absent.",
  CS_SIGNATURE_HEADER_DUPLICATE:
    "A header of the scheme came twice: as a list, in two spellings, or joined with a comma and a space.",
  CS_SIGNATURE_HEADER_INVALID: "A header of the scheme is not a text of printable ASCII.",
  CS_SIGNATURE_HEADER_TOO_LONG: "A header of the scheme is longer than 4,096 characters.",
  CS_SIGNATURE_ID_INVALID: "The id is not 1 to 256 characters of A-Z, a-z, 0-9, `_` and `-`.",
  CS_SIGNATURE_TIMESTAMP_INVALID:
    "The timestamp is not a whole number of seconds in at most 12 digits without a leading zero.",
  CS_SIGNATURE_MALFORMED:
    "The signature header is not in the scheme's form, or none of its signatures is canonically encoded in the exact length.",
  CS_SIGNATURE_TOO_MANY: "The signature header carries more than 8 signatures.",
  CS_SIGNATURE_VERSION_UNSUPPORTED:
    "The signature header carries only versions that none of the secrets can verify.",
  CS_SIGNATURE_MISMATCH: "None of the secrets produces any of the signatures.",
  CS_SIGNATURE_TIMESTAMP_TOO_OLD:
    "The signature is genuine, but was made longer ago than the tolerance allows.",
  CS_SIGNATURE_TIMESTAMP_TOO_NEW:
    "The signature is genuine, but its timestamp is further ahead than the tolerance allows.",
} as const;

/** The code of a refused attempt. */
export type SignatureErrorCode = keyof typeof signatureErrorCodes;
