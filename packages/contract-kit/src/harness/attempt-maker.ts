import type { Secret } from "@countersign/signatures";
import { type Header, type RawRequest, without } from "./message.ts";
import type { EventOrder, ProviderEvents, TestEvent } from "./provider-events.ts";
import type { Signing } from "./signing.ts";

/** One attempt, as it will be sent. */
export interface Attempt extends RawRequest {
  /** Its peculiarity, as the subject of a sentence. */
  readonly what: string;
  readonly event: TestEvent;
}

export interface AttemptOptions {
  /** Default: "an attempt". */
  readonly what?: string;
  /** Default: the event's text. */
  readonly body?: string | Uint8Array;
  /** Seconds since 1970. Default: now. */
  readonly timestamp?: number;
  /** Default: the target's first. */
  readonly secrets?: readonly Secret[];
  /** The signed id. Default: the event's. */
  readonly id?: string;
  /** Replace headers of the same names, and are added after signing. */
  readonly headers?: readonly Header[];
  /** Path and query that are signed and sent. Default: the event's. */
  readonly path?: string;
  /** Number of retries before it, which some providers send. Default 0. */
  readonly retries?: number;
}

export interface AttemptMakerOptions {
  readonly signing: Signing;
  readonly events: ProviderEvents;
  /** Secrets that the receiver knows, the one to sign with first. */
  readonly secrets: readonly Secret[];
  /** The receiver's URL. */
  readonly url: URL;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Begins the ids of all events. */
  readonly prefix: string;
}

/** Makes a provider's attempts, genuine or with one difference. */
export class AttemptMaker {
  readonly signing: Signing;
  readonly events: ProviderEvents;
  readonly secrets: readonly Secret[];
  readonly url: URL;
  readonly now: () => number;
  readonly #prefix: string;
  #count = 0;

  constructor({ signing, events, secrets, url, now, prefix }: AttemptMakerOptions) {
    this.signing = signing;
    this.events = events;
    this.secrets = secrets;
    this.url = url;
    this.now = now;
    this.#prefix = prefix;
  }

  /** Seconds since 1970. */
  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  event(order: Partial<EventOrder> = {}): TestEvent {
    this.#count += 1;
    const id = order.id ?? `${this.#prefix}_${this.#count}`;
    const resource = order.resource ?? `${this.#prefix}_${this.#count}r`;
    return this.events.make({ ...order, id, resource, at: order.at ?? this.now() });
  }

  /** Returns an attempt that is genuine, except for what is given. */
  attempt(event: TestEvent, options: AttemptOptions = {}): Attempt {
    const { what = "an attempt", id = event.id, headers: own = [], path = event.path } = options;
    const { timestamp = this.seconds(), secrets = this.secrets.slice(0, 1) } = options;
    const headers = [
      ["Content-Type", this.events.mediaType] as const,
      ["User-Agent", "countersign-verify"] as const,
      ...event.headers,
    ];
    const names = own.map(([name]) => name.toLowerCase());
    const first = {
      method: "POST",
      headers: without(headers, names),
      body: Buffer.from(options.body ?? event.text),
      path,
      what,
    };
    const request =
      options.retries === undefined ? first : this.events.retried(first, options.retries);
    const signed = this.sign(request, { id, timestamp, secrets });
    const traced = this.events.traced(event, signed);
    return { ...signed, event: traced, headers: [...signed.headers, ...own] };
  }

  /** Signs a request as it is. */
  sign<T extends RawRequest>(
    request: T,
    { id, timestamp, secrets }: { id: string; timestamp: number; secrets: readonly Secret[] },
  ): T {
    const { origin } = this.url;
    return this.signing.sign(request, { id, timestamp, origin }, secrets);
  }

  /** Returns a genuine attempt of a new event. */
  genuine(options?: AttemptOptions): Attempt {
    return this.attempt(this.event(), options);
  }

  /** Returns an attempt whose body was changed before it was signed. */
  rewritten(what: string, change: (text: string) => string | Uint8Array): Attempt {
    const event = this.event();
    return this.attempt(event, { what, body: change(event.text) });
  }

  /** Returns a genuine attempt without anything of the scheme. */
  unsigned(order?: Partial<EventOrder>): Attempt {
    const whole = this.attempt(this.event(order), { what: "an unsigned attempt" });
    return this.signing.unsigned(whole);
  }

  /** Returns a whole attempt that is signed by a secret that no receiver has. */
  foreign(name: string, order?: Partial<EventOrder>): Attempt {
    const what = "an attempt that another secret signed";
    return this.attempt(this.event(order), { what, secrets: [this.signing.stranger(name)] });
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
    // A private key's signature has the name of its own version.
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
