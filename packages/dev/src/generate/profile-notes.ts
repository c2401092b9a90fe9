/**
 * Reasons for the choices of the built-in profiles, by the JSON Pointers of `evidence`. "S 4.1" is section
 * 4.1 of the interface specification.
 */
export const profileNotes: Readonly<Record<string, string>> = {
  "/signature":
    "S 5.3 specifies neither scheme nor headers. Standard Webhooks 1.0.0 signs id, time and raw bytes, recommends ±300 s, and has libraries in many languages. `x-signature` describes another HMAC as data.",
  "/envelope":
    "S 6.5 specifies no payload. Standard Webhooks recommends `id`, `type` and `timestamp` next to `data`; a profile may nest them, or put the resource's members next to them.",
  "/catalogue":
    "S 6.4 specifies no names. The category is independent of the name: `customer.account.linked` belongs to ACCOUNT. `standard` names refunds differently from payments, so that a receiver cannot confuse them when it marks an order as paid.",
  "/delivery":
    "S 6.6 specifies nothing. Standard Webhooks: ten attempts over 75 hours, any 2xx within 15 s is success, redirects are not followed, 410 ends deliveries. A pause requires both many failures and a long time, so that a short outage under load pauses no subscription.",
  "/statuses":
    "S 7.5 specifies none. RFC 9110 for statuses, RFC 9457 for the body, with the `errorDetails` of S 7.1 in it.",
  "/refund/duplicate":
    "S 4.1 says that a second call is rejected, but not how. 409 with `existing` shows a client whose first call timed out what became of the refund. If the answer looked like a failed refund, the client would retry with a new key and pay twice.",
  "/refund/responsePaymentId":
    'S 2.2 says "related to the payment". A refund is a payment record with its own id, so that two refunds of one payment can be distinguished.',
  "/refund/clientReferenceIdWhenAbsent":
    "S 2.2 says always present, S 4.1 says optional. `null` satisfies both.",
  "/refund/softDescriptor":
    "S 4.1 and S 8 say 80 alphanumeric characters; spaces are accepted too.",
  "/amount":
    "S 2.1: two digits after the separator. The number's source text is validated, because 1.005 has no exact binary fraction.",
  "/hold":
    "S 3.1: three business days after settlement. The calendar (Federal Reserve), the time zone (New York) and the hour (midnight) are chosen.",
  "/subscription":
    "S 4.4 does not say where to send `subscriptionId`; the service reads it from body, path and query, and rejects contradictions. Unsubscribing a closed subscription succeeds again, so that the call can be retried.",
  "/token":
    "S 5.2 specifies nothing. Most libraries support OAuth 2 client credentials (RFC 6749, section 4.4); the lifetime of an hour and the two scopes are chosen.",
  "/account": "S 2.3 lists no values. These are common in account linking; readers accept others.",
  "/customer":
    "S 3.2 specifies no state changes. A customer is ACTIVE while an account is linked; nothing returns to CREATED.",
  "/rateLimit":
    "S 8 specifies none. The limits keep one client from using the whole service, and slow the guessing of secrets; the sandbox has none.",
  "/limits":
    "S 8 specifies only the descriptor's. The limits keep bodies and rows small; other services also allow 255 characters in a key.",
  "/deprecation":
    "S 9.2 specifies nothing. Additive changes stay within `/v1`; RFC 9745 and RFC 8594 announce others in time.",
};
