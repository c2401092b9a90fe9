import type { Secret } from "@countersign/signatures";
import { type Header, headerValue, type RawRequest, without } from "./message.ts";
import type { EventOrder, ProviderEvents, TestEvent } from "./provider-events.ts";
import type { Signing } from "./signing.ts";

export interface Attempt extends RawRequest {
  /** Its peculiarity, as the subject of a sentence. */
  readonly what: string;
  readonly event: TestEvent;
}

/** A new event, or one that is sent again, and what differs from a genuine attempt of it. */
export interface AttemptOrder extends Partial<EventOrder> {
  /** Default: "an attempt". */
  readonly what?: string;
  /** An event that is sent again. Default: a new one. */
  readonly event?: TestEvent;
  /** The body before it is signed, or what makes it of the event's text. Default: that text. */
  readonly body?: string | Uint8Array | ((text: string) => string | Uint8Array);
  /** Seconds since 1970 at which it is signed. Default: now. */
  readonly timestamp?: number;
  /** Default: the target's first. */
  readonly secrets?: readonly Secret[];
  /** Replace headers of the same names, and are added after signing. */
  readonly headers?: readonly Header[];
  /** Path and query that are signed and sent. Default: the event's. */
  readonly path?: string;
  /** Scheme and host of the URL that is signed, where a provider signs it. Default: the receiver's. */
  readonly origin?: string;
  /** Number of retries before it, which some providers send. Default 0. */
  readonly retries?: number;
}

const TYPE = "content-type";

/** Makes a provider's attempts, genuine or with one difference. */
export class AttemptMaker {
  readonly signing: Signing;
  readonly events: ProviderEvents;
  /** Secrets that the receiver knows, the one to sign with first. */
  readonly secrets: readonly Secret[];
  /** The key of the first secret; `undefined` if only a private key signs. */
  readonly key: Uint8Array | undefined;
  readonly url: URL;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly prefix: string;
  #count = 0;

  constructor(
    given: Pick<AttemptMaker, "signing" | "events" | "secrets" | "url" | "now" | "prefix">,
  ) {
    this.signing = given.signing;
    this.events = given.events;
    this.secrets = given.secrets;
    const [secret] = this.secrets;
    this.key = secret === undefined ? undefined : this.signing.keyOf(secret);
    this.url = given.url;
    this.now = given.now;
    this.prefix = given.prefix;
  }

  /** Seconds since 1970. */
  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  event(order: Partial<EventOrder> = {}): TestEvent {
    this.#count += 1;
    const { id = `${this.prefix}_${this.#count}`, at = this.now() } = order;
    const { resource = `${this.prefix}_${this.#count}r` } = order;
    return this.events.make({ ...order, id, resource, at });
  }

  /** Returns an attempt that is genuine, except for what is ordered. */
  attempt(order: AttemptOrder = {}): Attempt {
    const { what = "an attempt", event = this.event(order), headers: own = [], retries } = order;
    const { timestamp = this.seconds(), secrets = this.secrets.slice(0, 1) } = order;
    const { body = event.text, path = event.path, origin = this.url.origin } = order;
    const headers = [
      ["Content-Type", headerValue(event.headers, TYPE) || this.events.mediaType] as const,
      ["User-Agent", "countersign-verify"] as const,
      ...without(event.headers, [TYPE]),
    ];
    const names = own.map(([name]) => name.toLowerCase());
    const first = {
      method: "POST",
      headers: without(headers, names),
      body: Buffer.from(typeof body === "function" ? body(event.text) : body),
      path,
      what,
    };
    const request = retries === undefined ? first : this.events.retried(first, retries);
    const signed = this.signing.sign(request, { id: event.id, timestamp, origin }, secrets);
    const traced = this.events.traced(event, signed);
    // A repeat of the event has the same bytes.
    const text = first.body.toString();
    const repeated = traced.text === text ? traced : { ...traced, text };
    return { ...signed, event: repeated, headers: [...signed.headers, ...own] };
  }

  sign<T extends RawRequest>(
    request: T,
    { id, timestamp, secrets }: { id: string; timestamp: number; secrets: readonly Secret[] },
  ): T {
    return this.signing.sign(request, { id, timestamp, origin: this.url.origin }, secrets);
  }

  /** Returns an attempt without anything of the scheme. */
  unsigned(order?: AttemptOrder): Attempt {
    return this.signing.unsigned(this.attempt({ what: "an unsigned attempt", ...order }));
  }

  /** Returns a whole attempt that is signed by a secret that no receiver has. */
  foreign(order?: AttemptOrder): Attempt {
    const secrets = [this.signing.stranger("another")];
    return this.attempt({ what: "an attempt that another secret signed", secrets, ...order });
  }

  /** Returns the bytes that an attempt's signature is made of; `undefined` if a private key signs. */
  textOf(attempt: RawRequest, key: Uint8Array): Buffer | undefined {
    return this.signing.isShared ? this.signing.textOf(attempt, this.url.origin, key) : undefined;
  }

  /** Returns the attempt with a digest by another key as its signature; `undefined` if a private key signs. */
  signedBy<T extends RawRequest>(attempt: T, key: Uint8Array | string): T | undefined {
    const text = this.textOf(attempt, Buffer.from(key));
    if (text === undefined) return undefined;
    const mac = this.signing.mac(text, key).toString(this.signing.encoding);
    // A private key's signature is named after another version.
    const [own, other] = this.signing.provider.signature.carrier;
    const named = this.signing.withCarrier(attempt, (carried) =>
      other?.prefix === undefined ? carried : carried.replace(other.prefix, own?.prefix ?? ""),
    );
    return this.signing.withSignature(named, () => mac);
  }

  /** True if the scheme's own verifier accepts a request at this moment. */
  isGenuine(request: RawRequest): boolean {
    const { secrets, signing } = this;
    const now = this.seconds() * 1000;
    const path = request.path ?? `${this.url.pathname}${this.url.search}`;
    return signing.verifies({ ...request, path }, { origin: this.url.origin, now, secrets });
  }
}
