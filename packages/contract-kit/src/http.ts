/** A call as it goes over the wire: nothing is added to the headers but what HTTP itself needs. */
export interface HttpCall {
  readonly method: string;
  /** Path and query, below the target's URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes, or text that goes as UTF-8. */
  readonly body?: string | Uint8Array;
}

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case; a repeated header is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Carries a call to a target.
 *
 * @throws {Error} no answer came: refused, cut off, or not in time.
 */
export type Send = (call: HttpCall) => Promise<HttpAnswer>;
