import type {
  CheckedHeaders,
  HeadersLike,
  HeadersObject,
  SignatureScheme,
} from "@countersign/signatures/stated";
import type { IncomingBody } from "./body.ts";
import { type Rejected, rejected } from "./outcome.ts";

/**
 * Refuses an attempt by its headers, so that a body that is refused anyway is never read. The headers of
 * the signature are not read again.
 */
export function judgeHeaders(
  headers: HeadersLike,
  {
    scheme,
    limits,
    explain,
  }: {
    readonly scheme: SignatureScheme;
    readonly limits: { readonly bodyBytes: number };
    readonly explain: unknown;
  },
): Rejected | { readonly checked?: CheckedHeaders } {
  const [contentEncoding, contentType, announced] = readHeaders(headers);
  if (contentEncoding !== undefined && contentEncoding?.toLowerCase() !== "identity")
    return rejected("CS_BODY_ENCODED", { facts: { contentEncoding } });
  if (contentType !== undefined && !JSON_MEDIA_TYPE.test(String(contentType)))
    return rejected("CS_BODY_MEDIA_TYPE", { facts: { contentType } });
  if (Number(announced ?? 0) > limits.bodyBytes) return rejected("CS_BODY_TOO_LARGE");

  // An explanation needs the body.
  if (explain !== undefined) return {};
  const checked = scheme.checkHeaders(headers);
  return checked.ok ? { checked } : rejected(checked.code, { facts: checked.facts });
}

/**
 * A Content-Type of JSON in UTF-8: `application/json` or `application/…+json`, with no parameter but
 * `charset=utf-8`. Without the header the body is read: no parser is chosen by this header, since
 * parsers that read it differently are how validation gets bypassed.
 */
const JSON_MEDIA_TYPE =
  /^application\/(?:[a-z0-9!#$&^_.-]{1,64}\+)?json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;

const NAMES = ["content-encoding", "content-type", "content-length"];

/**
 * Returns the values of `NAMES`, in any case of their spelling: `undefined` if a header is absent,
 * `null` if it was sent twice, since nobody can say which of the two is meant.
 */
function readHeaders(headers: HeadersLike): readonly (string | null | undefined)[] {
  if (isHeadersObject(headers)) return NAMES.map((name) => headers.get(name) ?? undefined);
  const found = new Map<string, string | null>();
  for (const [key, value] of Object.entries(headers)) {
    const name = key.toLowerCase();
    if (value === undefined || !NAMES.includes(name)) continue;
    found.set(name, typeof value === "string" && !found.has(name) ? value : null);
  }
  return NAMES.map((name) => found.get(name));
}

function isHeadersObject(headers: HeadersLike): headers is HeadersObject {
  return typeof headers.get === "function";
}

/** Bounds the handlers that run at once, or the events that are stored at once; others wait, first in, first out. */
export class HandlerSlots {
  readonly #waiting = new Set<(entered: boolean) => void>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a slot if one is free. Nobody overtakes the attempts that wait: a slot that frees is theirs. */
  tryEnter(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Waits for a slot. False once the time has passed: the attempt is then answered with `late()`. */
  wait<Late>(deadline: Deadline<Late>, late: () => Late): Promise<boolean> {
    if (deadline.isPassed) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const giveUp = (): Late => {
      if (this.#waiting.delete(resolve)) resolve(false);
      return late();
    };
    return deadline.during(giveUp, () => {
      this.#waiting.add(resolve);
      return promise;
    });
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next(true);
    }
  }
}

/** Counts attempts until they and their handlers have settled. */
export class Running {
  readonly #idle: (() => void)[] = [];
  #count = 0;

  enter(): void {
    this.#count += 1;
  }

  leave(): void {
    this.#count -= 1;
    if (this.#count === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Resolves once nothing runs. */
  async settled(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}

/** The time in which an attempt is answered. Elapsed time is measured by a timer, never by the wall clock. */
export class Deadline<Late> {
  /** True if a handler was running when the time passed: it keeps its claim. */
  handlerGoesOn = false;
  #timer: ReturnType<typeof setTimeout>;
  #isPassed = false;
  /** Returns the answer if the time passes now. */
  #late: () => Late;
  #answerLate: ((late: Late) => void) | undefined;

  /** @param body Given up after its `bodyMs` if it is not read by then; one timer measures both times. */
  constructor(ms: number, late: () => Late, body?: IncomingBody) {
    this.#late = late;
    const { bodyMs = ms } = body ?? {};
    const pass = (left: number): void => {
      body?.refuse("CS_BODY_TIMEOUT");
      if (left > 0) {
        this.#timer = setTimeout(pass, left, 0);
        return;
      }
      this.#isPassed = true;
      const outcome = this.#late();
      this.#answerLate?.(outcome);
    };
    this.#timer = setTimeout(pass, bodyMs, ms - bodyMs);
  }

  get isPassed(): boolean {
    return this.#isPassed;
  }

  /** Runs a step of the flow; if the time passes before the next step, the answer is `late()`. */
  during<Result>(late: () => Late, step: () => Result): Result {
    this.#late = late;
    return step();
  }

  /** Resolves as `flow` does, which never rejects, or with the late answer of its step once the time has passed. */
  bound(flow: Promise<Late>): Promise<Late> {
    return new Promise((resolve) => {
      this.#answerLate = resolve;
      void flow.then((outcome) => {
        this.end();
        resolve(outcome);
      });
    });
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
