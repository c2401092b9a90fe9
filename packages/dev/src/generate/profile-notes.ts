/**
 * The reasons of the built-in profiles' choices, by the JSON Pointers of `evidence`. "S 4.1" is section
 * 4.1 of the interface specification.
 */
export const profileNotes: Readonly<Record<string, string>> = {
  "/signature":
    "S 5.3 shows neither scheme nor header. Standard Webhooks 1.0.0 is published, signs id, time and raw bytes, and has libraries in many languages; ±300 s is what it recommends. `x-signature` states an HMAC of its own as data.",
  "/envelope":
    "S 6.5 shows no payload. `id`, `type` and `timestamp` beside `data` are Standard Webhooks' recommendation; a profile may nest them or put the resource's members beside them.",
  "/catalogue":
    "S 6.4 shows no names. The category is a column and never a prefix: `customer.account.linked` belongs to ACCOUNT. `standard` names refunds apart from payments, so that a receiver that marks an order paid cannot take one for the other.",
  "/delivery":
    "S 6.6 shows nothing. Ten attempts over 75 hours, any 2xx within 15 s, 3xx not followed, 410 as the end: Standard Webhooks. Pausing takes both many failures and a long time, so that a short outage under load pauses nobody.",
  "/statuses":
    "S 7.5 shows none. RFC 9110's statuses, RFC 9457's body, and within it the `errorDetails` of S 7.1.",
  "/refund/duplicate":
    "S 4.1 says that a second call is rejected, not how. 409 with `existing` tells a client whose first call timed out what became of it; an answer that looks like a failed refund would make it mint a new key and pay twice.",
  "/refund/responsePaymentId":
    'S 2.2 says "related to the payment". A refund is a payment record with an id of its own: two refunds of one payment can be told apart.',
  "/refund/clientReferenceIdWhenAbsent":
    "S 2.2 says always present, S 4.1 says optional. `null` is present and invents no value.",
  "/refund/typoAlias":
    "S 4.1 spells the parameter in two ways. A client built from the table sends `clientRefefenceId`; leaving it out of sight would lose its reference.",
  "/refund/overRefund":
    "Several partial refunds are common; PENDING and AUTHORIZED ones never add up to more than the payment, and TERMINAL_FAILED frees its part.",
  "/refund/lateReturn":
    "S 3.1 shows no move out of AUTHORIZED. A bank can return a credit days later; whoever wants to develop for that turns it on.",
  "/refund/softDescriptor":
    "S 4.1 and S 8 say 80 alphanumeric characters; a space is taken as part of free text.",
  "/amount":
    "S 2.1: two digits after the separator. The number's source text is judged, since in binary fractions 1.005 is another number.",
  "/hold":
    "S 3.1: three business days after settlement. Whose calendar, which zone and which hour are chosen: the Federal Reserve's, New York's, midnight.",
  "/subscription":
    "S 4.4 does not show where `subscriptionId` goes; the service reads it from body, path and query, and refuses contradictions. A closed key answers as it did, so that the call can be repeated.",
  "/headers":
    "S 1 requires the headers on every call, and real clients leave them out of a GET. `warn` takes such a call; contract checks warn.",
  "/token":
    "S 5.2 shows nothing. OAuth 2 client credentials (RFC 6749, section 4.4) are what most libraries have; an hour and two scopes are chosen.",
  "/account":
    "S 2.3 shows no values. They are the common ones of account linking; readers take both sets as open.",
  "/customer":
    "S 3.2 shows no transitions. A customer is ACTIVE while an account is linked; nothing leads back to CREATED.",
  "/rateLimit":
    "S 8 shows none. They keep one client from taking a service from the others, and bound the guessing of secrets; the sandbox has none.",
  "/limits":
    "S 8 shows none but the descriptor's. They keep bodies and rows small; 255 characters of a key are what other services take.",
  "/deprecation":
    "S 9.2 shows nothing. Additive changes stay within `/v1`; RFC 9745 and RFC 8594 tell the rest in time.",
};
