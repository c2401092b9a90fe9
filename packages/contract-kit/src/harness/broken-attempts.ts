import type { Attempt, AttemptMaker, AttemptOrder } from "./attempt-maker.ts";
import type { TestEvent } from "./provider-events.ts";
import { parseJson } from "../values.ts";

/** Seconds beyond the tolerance. */
const BEYOND = 3600;

/** An attempt with one mistake, for which a receiver must refuse it. */
interface BrokenAttempt {
  readonly what: string;
  /** The requirement by which it must be refused. */
  readonly requirement: string;
  /** Returns `undefined` if the provider's scheme cannot have the mistake. */
  readonly make: (maker: AttemptMaker, event: TestEvent) => Attempt | undefined;
}

/** A name that `countersign send --broken` takes. */
export type BrokenKind =
  | ("wrong-secret" | "unsigned" | "changed-body" | "changed-id" | "stale" | "future" | "no-time")
  | ("malformed-signature" | "empty-signature" | "truncated-signature" | "not-json");

const atSeconds = (direction: 1 | -1): BrokenAttempt["make"] => {
  return (maker, event) => {
    const { covers, toleranceSeconds } = maker.signing;
    const timestamp = maker.seconds() + direction * (toleranceSeconds + BEYOND);
    return covers.timestamp ? maker.attempt({ event, timestamp }) : undefined;
  };
};

/** Attempts with one mistake each: what `send --broken` sends, and the checks of receivers. */
export const brokenAttempts: Readonly<Record<BrokenKind, BrokenAttempt>> = {
  "wrong-secret": {
    what: "an attempt that another secret signed",
    requirement: "R-VERIFY-WRONG-KEY",
    make: (maker, event) => maker.foreign({ event }),
  },
  unsigned: {
    what: "an unsigned attempt",
    requirement: "R-VERIFY-UNSIGNED",
    make: (maker, event) => maker.unsigned({ event }),
  },
  "changed-body": {
    what: "a space at the end of the body that was not signed",
    requirement: "R-VERIFY-RAW",
    make: (maker, event) => {
      const attempt = maker.attempt({ event });
      // The same JSON, and other bytes. In a form it is another value.
      const changed = { ...attempt, body: Buffer.concat([attempt.body, Buffer.from(" ")]) };
      return maker.isGenuine(changed) ? undefined : changed;
    },
  },
  "changed-id": {
    what: "a letter added to the id",
    requirement: "R-VERIFY-TAMPERED",
    make: (maker, event) => {
      const { id } = maker.signing.provider;
      if (id === undefined) return undefined;
      return maker.signing.withPlace(maker.attempt({ event }), id.at, (text) => `${text}x`);
    },
  },
  "malformed-signature": {
    what: "a text of another form as the signature",
    requirement: "R-VERIFY-UNSIGNED",
    make: (maker, event) => maker.signing.withCarrier(maker.attempt({ event }), () => "cstest"),
  },
  "empty-signature": {
    what: "an empty signature",
    requirement: "R-VERIFY-UNSIGNED",
    make: (maker, event) => maker.signing.withCarrier(maker.attempt({ event }), () => ""),
  },
  "truncated-signature": {
    what: "half a signature",
    requirement: "R-VERIFY-WHOLE",
    make: (maker, event) =>
      maker.signing.withSignature(maker.attempt({ event }), (text) =>
        text.slice(0, text.length / 2),
      ),
  },
  stale: { what: "a stale attempt", requirement: "R-VERIFY-STALE", make: atSeconds(-1) },
  future: { what: "an attempt ahead of time", requirement: "R-VERIFY-AHEAD", make: atSeconds(1) },
  "no-time": {
    what: `the time "now"`,
    requirement: "R-VERIFY-TAMPERED",
    make: (maker, event) => maker.signing.withTime?.(maker.attempt({ event }), () => "now"),
  },
  "not-json": {
    what: "half a body, signed",
    requirement: "R-BODY-JSON",
    make: (maker, event) => {
      // A form of half the fields is a form, and a signature inside JSON cannot be in half of it.
      if (parseJson(event.text) === undefined || !maker.signing.covers.body) return undefined;
      return maker.attempt({ event, body: (text) => text.slice(0, text.length >> 1) });
    },
  },
};

/** New attempts that a receiver must refuse for their signature or time; the first one is plainly forged. */
export function unverified(maker: AttemptMaker, order: AttemptOrder = {}): readonly Attempt[] {
  const { "not-json": _, ...others } = brokenAttempts;
  const broken = Object.values(others).flatMap(({ what, make }) => {
    const made = make(maker, maker.event(order));
    return made === undefined ? [] : { ...made, what };
  });
  const without = maker.signing.parts.map(({ name, place }): Attempt => {
    const attempt = maker.attempt({ ...order, what: `an attempt without ${name}` });
    return maker.signing.withPlace(attempt, place, () => undefined);
  });
  return [...broken, ...without];
}
