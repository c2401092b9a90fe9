// Generated from schemas/ by scripts/generate.ts. Do not edit.

export type Encoding = "hex" | "base64" | "base64url";
/**
 * A place in a request: header:Name, header:Name#pair, body:/pointer, item:/pointer (in an item of a batch), form:name, form:name#/pointer (in a field whose text is JSON), query:name, jwt:claim, jose:parameter (a JWT's header), or url.
 */
export type Place = string;
/**
 * A part of the signed text.
 */
export type Part =
  | ("id" | "timestamp" | "body" | "url" | "method" | "secret")
  | {
      readonly text: string;
    }
  | {
      readonly at: Place;
      /**
       * Written in lower case before it is signed.
       */
      readonly case?: "lower";
    }
  | {
      readonly crc32: "body";
    }
  | {
      readonly form: "sorted";
      /**
       * Between name and value.
       */
      readonly pair: string;
      /**
       * Between fields.
       */
      readonly join: string;
      /**
       * Fields that are left out.
       */
      readonly without?: readonly string[];
    }
  | {
      readonly ifPresent: Place;
      /**
       * @minItems 1
       */
      readonly parts: readonly Part[];
    };
/**
 * Seconds (up to 12 digits), milliseconds (13 digits) or RFC 3339; several are told apart by their form.
 */
export type Unit = "s" | "ms" | "iso" | "s|iso" | "ms|iso" | "s|ms" | "s|ms|iso";
/**
 * A place of the type, or a fixed text.
 */
export type TypePart =
  | Place
  | {
      readonly text: string;
    };

/**
 * How a sender of webhooks signs, identifies and delivers its events.
 */
export interface ProviderDocument {
  /**
   * Address of this schema.
   */
  readonly $schema?: string;
  /**
   * Name of the provider in every inbox key; never changed once events are recorded.
   */
  readonly name: string;
  /**
   * The provider's own name, for messages and pages.
   */
  readonly title: string;
  /**
   * Address of the vendor's page about signatures.
   */
  readonly documentation: string;
  /**
   * Addresses of the pages and files that "answer" and "retries" are taken from.
   *
   * @minItems 1
   * @maxItems 8
   */
  readonly sources?: readonly string[];
  /**
   * The package whose verdicts the provider's vectors carry. Absent if they are from the documentation.
   */
  readonly sdk?: {
    readonly npm: string;
    readonly version: string;
    /**
     * Which of several signatures it tries, if not each.
     */
    readonly reads?: "last";
  };
  /**
   * The secret that the vendor issues.
   */
  readonly secret?: {
    /**
     * The place in the vendor's dashboard that shows it.
     */
    readonly where: string;
    /**
     * The text that every secret begins with, or several.
     */
    readonly prefix?: string | readonly string[];
    /**
     * Fewest bytes of a shared secret; 8 by default.
     */
    readonly minBytes?: number;
  };
  readonly signature: Signature;
  /**
   * The id that is signed as the part "id": 1 to 256 characters of A-Z, a-z, 0-9, _ and -.
   */
  readonly id?: {
    readonly at: Place;
  };
  /**
   * The signed time of the attempt.
   */
  readonly timestamp?: {
    readonly at: Place;
    readonly unit: Unit;
    /**
     * Largest distance from the receiver's clock, either way, inclusive.
     */
    readonly toleranceSeconds: number;
  };
  /**
   * Accepted media types; application/json and application/*+json by default. One with parameters is compared as a whole.
   *
   * @minItems 1
   */
  readonly media?: readonly string[];
  /**
   * Conditions without which an attempt is refused.
   */
  readonly require?: readonly Condition[];
  /**
   * Values that must match a regular expression if they are present: what a text could be split by is refused.
   */
  readonly pin?: readonly Pin[];
  readonly batch?: Place;
  readonly event: EventPlaces;
  /**
   * Other forms of an event; the first whose condition is met applies instead of "event".
   */
  readonly variants?: readonly Variant[];
  /**
   * Requests that are answered and never recorded: challenges and pings. Those with a signature are answered after it is proved.
   */
  readonly handshakes?: readonly Handshake[];
  /**
   * The response that the sender expects.
   */
  readonly answer?: {
    readonly success?: number;
    readonly body?: string;
    readonly mediaType?: string;
    /**
     * Status of a wrong signature.
     */
    readonly refused?: number;
    /**
     * Status of an attempt whose event is being handled, if the sender never repeats after 409.
     */
    readonly inProgress?: number;
    /**
     * The largest body that the sender documents, in bytes.
     */
    readonly bodyBytes?: number;
    /**
     * The sender's timeout.
     */
    readonly deadlineSeconds?: number;
    readonly attempt?: Place;
    /**
     * Media type of the body that a handler returns.
     */
    readonly reply?: string;
  };
  /**
   * How long the sender retries; "none" if it never does by itself. Of events without an id, equal bytes are a retry for that long (unknown: 24 hours; none: never).
   */
  readonly retries?:
    | "none"
    | {
        readonly hours: number;
      };
  /**
   * Delivery facts that no source states. They stay because a shorter deadline or a longer time of retries does no harm.
   *
   * @minItems 1
   * @maxItems 2
   */
  readonly unconfirmed?: readonly ("deadlineSeconds" | "retries")[];
  readonly delivery?: Place;
  /**
   * The only places that a handler gets if the signature does not cover the body.
   *
   * @minItems 1
   */
  readonly authentic?: readonly Place[];
  /**
   * Values by place that the vendor's attempts have besides those named above, such as the version of its API; "$id" is the event's id.
   */
  readonly sample?: {
    readonly [k: string]: unknown;
  };
  /**
   * The types of events.
   *
   * @minItems 1
   * @maxItems 2000
   */
  readonly catalogue?: readonly EventRow[];
  readonly list?: EventList;
  /**
   * How the reference service delivers (interface section 6, rule 6).
   */
  readonly sending?: {
    /**
     * Delay before each attempt after the previous one, in seconds.
     *
     * @minItems 1
     * @maxItems 50
     */
    readonly scheduleSeconds: readonly number[];
    /**
     * Largest random change of a delay, as a fraction of it.
     */
    readonly jitter: number;
    /**
     * Timeout of a whole attempt in milliseconds.
     */
    readonly timeoutMs: number;
    /**
     * Statuses that count as delivered.
     */
    readonly success: "2xx" | "200";
    /**
     * Status that ends the subscription's deliveries.
     */
    readonly goneStatus: number;
    /**
     * Upper bound of a Retry-After delay, as a multiple of the scheduled delay, which is the lower bound.
     */
    readonly retryAfterFactor: number;
    /**
     * Conditions that pause a failing subscription; both must be met.
     */
    readonly pause: {
      /**
       * Consecutive failures.
       */
      readonly failures: number;
      /**
       * Hours without a success.
       */
      readonly hours: number;
    };
  };
  /**
   * Sentences about mistakes that are easy to make, for the provider's page.
   */
  readonly traps?: readonly string[];
}
export interface Signature {
  /**
   * sha1 and sha256 without HMAC hash the part "secret" with the others.
   */
  readonly algorithm:
    | "hmac-sha1"
    | "hmac-sha256"
    | "hmac-sha384"
    | "hmac-sha512"
    | "sha1"
    | "sha256"
    | "ed25519"
    | "ecdsa-p256-sha256"
    | "rsa-sha256"
    | "jwt-hs256"
    | "jwt-es256";
  /**
   * How a secret's text becomes the key; "text" by default. whsec: as Standard Webhooks writes it.
   */
  readonly key?: "text" | "text-nfkd" | "hex" | "base64" | "whsec" | "spki" | "x509" | "jwk";
  readonly encoding?: Encoding;
  /**
   * The places that carry signatures. One genuine signature is enough.
   *
   * @minItems 1
   * @maxItems 4
   */
  readonly carrier: readonly Carrier[];
  /**
   * The parts of the signed text in their order; not for JWT.
   *
   * @minItems 1
   * @maxItems 32
   */
  readonly signed?: readonly Part[];
  /**
   * Text between the parts.
   */
  readonly join?: string;
  /**
   * Each item of the batch has its own signature.
   */
  readonly per?: "item";
  /**
   * Signed values that must be the digest of the body or of the URL.
   */
  readonly digests?: readonly Digest[];
  /**
   * A JWT's claims: required, equal to a text, equal to the URL, or (option:NAME) to a text that the user gives.
   */
  readonly claims?: {
    readonly [k: string]:
      | string
      | {
          readonly at: "url";
        };
  };
  /**
   * The value that names the key, such as a certificate's address: the receiver's option "keyOf" resolves it.
   */
  readonly keyFrom?: {
    readonly at: Place;
    /**
     * Regular expression of the whole value: a URL's host is pinned (https://keys\.example\.com/…), and the name of a key has no colon.
     */
    readonly matches: string;
  };
  /**
   * Why a weak algorithm is accepted; required for SHA-1 and for hashes without HMAC.
   */
  readonly weak?: string;
  /**
   * What follows from a signed text that can be split in two ways; required if it can.
   */
  readonly ambiguous?: string;
}
/**
 * A place with one signature, or with several between separators.
 */
export interface Carrier {
  readonly at: Place;
  /**
   * Between signatures or pairs; absent if there is one.
   */
  readonly separator?: string;
  /**
   * Name of the pairs that are signatures.
   */
  readonly pair?: string;
  /**
   * Between a pair's name and value; "=" by default.
   */
  readonly equals?: string;
  /**
   * Before each signature. Entries with another prefix are skipped.
   */
  readonly prefix?: string;
  /**
   * Of these signatures, if it is another: v1a of Standard Webhooks.
   */
  readonly algorithm?: "ed25519";
}
export interface Digest {
  readonly at: Place;
  readonly of: "body" | "url";
  readonly algorithm: "sha256";
  readonly encoding: Encoding;
}
/**
 * True if the value at the place equals a value, begins with a text, or is present. Exactly one of the three.
 */
export interface Condition {
  readonly at: Place;
  readonly equals?: string | number | boolean;
  readonly startsWith?: string;
  readonly present?: boolean;
}
export interface Pin {
  readonly at: Place;
  /**
   * Of the whole value.
   */
  readonly matches: string;
}
/**
 * Places of an event's members.
 */
export interface EventPlaces {
  /**
   * The event's id; a list is a compound key. Absent: the digest and the type identify it.
   */
  readonly id?: Place | readonly Place[];
  /**
   * The event's type: a list of places and fixed texts is joined, and all but its first part may be absent.
   */
  readonly type: TypePart | readonly TypePart[];
  /**
   * Between the members of a type; "." by default.
   */
  readonly separator?: string;
  /**
   * A place, the part of the type before a separator, or the catalogue's column.
   */
  readonly category?:
    | "catalogue"
    | Place
    | {
        readonly before: string;
      };
  readonly time?: TimePlace;
  readonly data?: Place;
  /**
   * True for live events, false for those of a test mode.
   */
  readonly live?: Place | Condition;
  readonly account?: Place;
}
export interface TimePlace {
  readonly at: Place;
  readonly unit: Unit;
}
export interface Variant {
  /**
   * A condition, or several of which all must be met.
   */
  readonly when: Condition | readonly Condition[];
  readonly event: EventPlaces;
}
export interface Handshake {
  /**
   * @minItems 1
   */
  readonly when: readonly Condition[];
  /**
   * A handshake by GET has no signature.
   */
  readonly method?: "GET";
  readonly token?: Place;
  readonly answer: {
    readonly status?: number;
    readonly text?: Place;
    readonly json?: {
      readonly [k: string]:
        | Place
        | {
            readonly hmac: Place;
          };
    };
  };
}
/**
 * One type of event.
 */
export interface EventRow {
  /**
   * Name of the type.
   */
  readonly type: string;
  /**
   * Occurrence in the reference service that emits the event. Absent for events that it does not emit.
   */
  readonly kind?:
    | "payment.created"
    | "payment.authorized"
    | "payment.succeeded"
    | "payment.failed"
    | "payment.canceled"
    | "refund.pending"
    | "refund.authorized"
    | "refund.failed"
    | "customer.created"
    | "customer.activated"
    | "customer.deactivated"
    | "account.linked"
    | "account.updated"
    | "account.deactivated";
  /**
   * Category of the event, independent of the type's name.
   */
  readonly category?: string;
  /**
   * JSON Schema of the event's data, for events without a kind.
   */
  readonly schema?: {};
  /**
   * Data of a sample event, for events without a kind.
   */
  readonly sample?: {};
  readonly resource?: Place;
  /**
   * Progress of the resource's state: an event with a higher rank is newer.
   */
  readonly rank?: number;
  readonly description?: string;
}
/**
 * The provider's own list of events, for reconciliation. Absent if no source describes one.
 */
export interface EventList {
  /**
   * Address of the list. {NAME} is a part that the user fills in, with an address of their own.
   */
  readonly url: string;
  /**
   * POST: the parameters are members of a JSON body. GET by default.
   */
  readonly method?: "POST";
  /**
   * The variable with the bearer token.
   */
  readonly token: string;
  /**
   * Headers that the list needs.
   */
  readonly headers?: {
    readonly [k: string]: string;
  };
  /**
   * Parameters of the first page: a text, or the time since which events are listed. With POST, the names are JSON Pointers.
   */
  readonly parameters?: {
    readonly [k: string]:
      | string
      | number
      | {
          readonly since: "s" | "iso";
        };
  };
  /**
   * The header that names a connected account.
   */
  readonly account?: string;
  readonly items: Place;
  readonly event: EventPlaces;
  /**
   * False: the items lack the bodies of the webhooks, so that none can be handled from the list.
   */
  readonly bodies?: false;
  /**
   * Items that are no events, such as pings.
   *
   * @minItems 1
   */
  readonly except?: readonly Condition[];
  /**
   * True: the list has no parameter for a time, and begins with the latest event.
   */
  readonly newestFirst?: true;
  /**
   * Days for which the provider lists an event.
   */
  readonly days?: number;
  /**
   * The next page: a cursor as a parameter, or its address (a text, a Link header, or links with the relation "next").
   */
  readonly next: {
    readonly cursor?: Place;
    /**
     * The parameter that takes the cursor.
     */
    readonly parameter?: string;
    readonly more?: Place;
    readonly url?: Place;
  };
  /**
   * The POST that asks for an event once more, signed.
   */
  readonly redeliver?: {
    readonly id: Place;
    /**
     * Path below the list's address; {id} is the id.
     */
    readonly path: string;
  };
}
