/** Fixes by code, for those of a receiver whose sentence does not say what to do. */
export const fixes: Readonly<Record<string, string>> = {
  CS_PROVIDER_INVALID:
    "Take one of `@countersign/receiver/providers`, or correct the member that the message names.",
  CS_SECRET_INVALID:
    "Set the environment variable in this process, and copy the secret from the provider's settings without quotes or spaces.",
  CS_OPTION_CONFLICT: "Change the option that the message names first.",
  CS_HANDLER_INVALID:
    "Register handlers before the first attempt, by the names of `countersign providers NAME`.",
  CS_INBOX_MEMORY:
    "`inbox: sqliteInbox(…)`, `postgresInbox(…)` or `redisInbox(…)`; in tests `inbox: memoryInbox()`.",
  CS_SCHEME_WEAK: "Keep the inbox's keys for as long as a replay would matter (`retention`).",
  CS_SENDER_NEVER_RETRIES:
    '`acknowledge: "after-store"`, with a durable inbox and `receiver.start()`.',
  CS_HANDSHAKE_TOKEN_MISSING: "Set `verifyToken` to the token in the sender's settings.",
  CS_SECRET_DOUBTFUL: "Compare the secret with the form that the message names.",
  CS_REPLAY_REFUSED: 'Use `replay: "report"` unless the provider never sends equal bytes twice.',
  CS_TENANT_UNPROVED: "Give each tenant its own secret, or return one unnamed tenant.",
  CS_CONNECTION_LOST:
    "Nothing, unless it repeats: then look at the network and the server's idle timeouts.",
  CS_EVENTS_OVERDUE:
    "Start a worker, raise `workers.concurrency`, or make handlers faster; `countersign inbox status` counts them.",
  CS_METHOD_NOT_ALLOWED: "Route only POST to the receiver.",
  CS_KEY_UNKNOWN: "Look at the value that `keyOf` got.",
  CS_TENANT_UNKNOWN: "Look at the path and headers that `secrets` got.",
  CS_BODY_CONSUMED:
    "Mount the receiver above the body parser, or let the parser keep the bytes: `express.json({ verify: (req, _res, bytes) => void Object.assign(req, { rawBody: bytes }) })`.",
  CS_BODY_ENCODED: "Let the proxy forward bodies as they are.",
  CS_BODY_MEDIA_TYPE: "Choose JSON in the sender's settings.",
  CS_BODY_TOO_LARGE: "Raise `limits.bodyBytes` if the provider sends more.",
  CS_BODY_TIMEOUT: "Look for a slow proxy; the sender tries again.",
  CS_BODY_ABORTED: "Nothing: the sender tries again.",
  CS_BODY_NOT_JSON:
    "Choose JSON in the sender's settings, or the provider whose document describes the form.",
  CS_REQUEST_UNREADABLE: "Look at the request's Host and URL.",
  CS_EVENT_ENVELOPE: "Take the right `provider`, or add a variant to a copy of its document.",
  CS_EVENT_SCHEMA: 'Generate the catalogue again, or `validate: "report"`.',
  CS_REPLY_INVALID: "Return an object for JSON, text for XML, or nothing.",
  CS_EVENT_SAME_BYTES: '`replay: "refuse"` if the provider never repeats bytes under another id.',
  CS_EVENT_ID_REUSED:
    '`onIdReuse: "duplicate"`, the default, if honest retries of the sender differ.',
  CS_RECEIVER_BUSY: "Make handlers faster, store first, or raise `limits.concurrentHandlers`.",
  CS_HANDLER_FAILED: "Read the stack in the log.",
  CS_HANDLER_TIMEOUT: '`acknowledge: "after-store"`, or a faster handler.',
  CS_CLAIM_LOST: "Set `lease` longer than the slowest handler.",
  CS_INBOX_UNAVAILABLE:
    "Read the database's error in the log; run `inbox.migrate()` if a table is missing.",
  CS_SECRETS_UNAVAILABLE: "Cache what the function returns for some seconds.",
  CS_KEY_UNAVAILABLE:
    "The log has the error. If names are looked up too often, strangers send them: limit the rate of requests in front of the receiver.",
  CS_RECEIVER_FAILED: "Correct `respond` or `decrypt`; else report it with the log's stack.",
  CS_SIGNATURE_REFUSED: "Read the receiver's log, which has the real code.",
  CS_SIGNATURE_HEADER_MISSING: "Take the right `provider`, and let proxies pass its headers.",
  CS_SIGNATURE_HEADER_DUPLICATE: "Look for a proxy or middleware that adds the header again.",
  CS_SIGNATURE_TIMESTAMP_INVALID: "Compare the header with the provider's documentation.",
  CS_SIGNATURE_MALFORMED: "Compare the header with the provider's documentation.",
  CS_SIGNATURE_VERSION_UNSUPPORTED: "Configure a secret of the kind that the sender signs with.",
  CS_SIGNATURE_MISMATCH:
    "Wrong secret: copy that of this endpoint and environment. Changed raw body: mount the receiver before any parser. `countersign listen` or `explain` says which.",
  CS_SIGNATURE_PLACE_MISSING:
    "Take the right `provider`, and let proxies pass its headers; set `url` if the sender signs it.",
  CS_SIGNATURE_CONDITION_UNMET:
    "Compare the message with the document: it may be of another product of the vendor.",
  CS_SIGNATURE_DIGEST_MISMATCH: "Pass the raw body, and the URL as the sender has it.",
  CS_SIGNATURE_TOKEN_INVALID: "Compare the token's claims with `claims` and `url`.",
  CS_SIGNATURE_TIMESTAMP_TOO_OLD:
    "Synchronise the clock (NTP). Behind a queue, pass the time of arrival as `receivedAt`.",
  CS_SIGNATURE_TIMESTAMP_TOO_NEW: "Synchronise the clock (NTP).",
  CS_LIST_URL: "Give the list's own address with `url` or `--list-url`.",
  CS_LIST_RANGE: "Begin later.",
  CS_LIST_REDIRECTED: "If the host is the provider's, give it as the list's address.",
  CS_LIST_UNAVAILABLE: "Run it later, or for a shorter time.",
  CS_LIST_REPEATED: "Report it; what was fed before is handled, once.",
};
