import type { Attempt, AttemptMaker, AttemptOptions } from "./attempt-maker.ts";
import type { TestEvent } from "./provider-events.ts";

/** A mistake that makes an attempt one to refuse: `undefined` if the provider's scheme cannot have it. */
type Break = (maker: AttemptMaker, event: TestEvent) => Attempt | undefined;

/** Seconds beyond the tolerance. */
const BEYOND = 3600;

const genuine = (maker: AttemptMaker, event: TestEvent, options?: AttemptOptions): Attempt =>
  maker.attempt(event, options);

const at =
  (direction: 1 | -1): Break =>
  (maker, event) => {
    const { signing } = maker;
    const seconds = direction * (signing.toleranceSeconds + BEYOND);
    if (!signing.covers.timestamp) return undefined;
    return genuine(maker, event, { timestamp: maker.seconds() + seconds });
  };

interface BrokenAttempt {
  /** After "an attempt". */
  readonly what: string;
  readonly make: Break;
}

/** A name that `countersign send --broken` takes. */
export type BrokenKind =
  | ("wrong-secret" | "unsigned" | "changed-body" | "changed-id" | "stale" | "future" | "no-time")
  | ("malformed-signature" | "empty-signature" | "truncated-signature" | "not-json");

/** Attempts with one mistake each. */
export const brokenAttempts: Readonly<Record<BrokenKind, BrokenAttempt>> = {
  "wrong-secret": {
    what: "signed by another secret",
    make: (maker, event) => genuine(maker, event, { secrets: [maker.signing.stranger("broken")] }),
  },
  unsigned: {
    what: "unsigned",
    make: (maker, event) => maker.signing.unsigned(genuine(maker, event)),
  },
  "changed-body": {
    what: "of a changed body",
    make: (maker, event) => {
      const attempt = genuine(maker, event);
      // A space after the value: the same JSON, and other bytes. In a form it is another value.
      const body = Buffer.concat([attempt.body, Buffer.from(" ")]);
      const changed = { ...attempt, body };
      return maker.isGenuine(changed) ? undefined : changed;
    },
  },
  "changed-id": {
    what: "of a changed id",
    make: (maker, event) => {
      const { id } = maker.signing.provider;
      if (id === undefined) return undefined;
      return maker.signing.withPlace(genuine(maker, event), id.at, (text) => `${text}x`);
    },
  },
  "malformed-signature": {
    what: "of no signature's form",
    make: (maker, event) => maker.signing.withCarrier(genuine(maker, event), () => "cstest"),
  },
  "empty-signature": {
    what: "of an empty signature",
    make: (maker, event) => maker.signing.withCarrier(genuine(maker, event), () => ""),
  },
  "truncated-signature": {
    what: "of half a signature",
    make: (maker, event) =>
      maker.signing.withSignature(genuine(maker, event), (text) => text.slice(0, text.length / 2)),
  },
  stale: { what: "too old", make: at(-1) },
  future: { what: "too early", make: at(1) },
  "no-time": {
    what: "of no time",
    make: (maker, event) => maker.signing.withTime?.(genuine(maker, event), () => "now"),
  },
  "not-json": {
    what: "of half a body, signed",
    make: (maker, event) => {
      // A form of half the fields is a form, and a signature inside JSON cannot be in half of it.
      const [half, isInside] = [event.text.length >> 1, !maker.signing.covers.body];
      if (maker.events.isForm || isInside) return undefined;
      return genuine(maker, event, { body: Buffer.from(event.text).subarray(0, half) });
    },
  },
};

/** New attempts that a receiver must refuse for their signature or time; the first one is plainly forged. */
export function unverified(
  maker: AttemptMaker,
  data: Readonly<Record<string, unknown>> = {},
): readonly Attempt[] {
  const broken = Object.entries(brokenAttempts).flatMap(([kind, { what, make }]) => {
    const made = kind === "not-json" ? undefined : make(maker, maker.event({ data }));
    return made === undefined ? [] : { ...made, what: `an attempt ${what}` };
  });
  const without = maker.signing.parts.map(({ name, place }): Attempt => {
    const attempt = maker.attempt(maker.event({ data }), { what: `an attempt without ${name}` });
    return maker.signing.withPlace(attempt, place, () => undefined);
  });
  return [...broken, ...without];
}
