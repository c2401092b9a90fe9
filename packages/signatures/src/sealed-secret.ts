import type { PlainSecret, Secret } from "./secret.ts";

const REDACTED = "[secret]";

/** A secret that does not print: made by `sealed`, taken wherever a secret is. */
export class SealedSecret {
  static {
    // What `util.inspect`, and with it `console.log`, shows.
    Object.defineProperty(this.prototype, Symbol.for("nodejs.util.inspect.custom"), {
      value: () => REDACTED,
    });
  }

  readonly #secret: PlainSecret;

  constructor(secret: PlainSecret) {
    this.#secret = secret;
  }

  /** The secret inside, for the schemes alone: this class is no value of the package's face. */
  static open(secret: Secret): PlainSecret {
    return secret instanceof SealedSecret ? secret.#secret : secret;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }
}

/**
 * Wraps a secret so that a log line, a JSON document or an error report of the object around it
 * shows `[secret]`. It is judged where a scheme first reads it, like any other.
 */
export function sealed(secret: PlainSecret): SealedSecret {
  return new SealedSecret(secret);
}
