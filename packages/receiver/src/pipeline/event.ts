import { hash } from "node:crypto";
import { compareStates, parseAmount, type ResourceState } from "@countersign/rules";
import { type CatalogueEntry, valueAt } from "@countersign/schemas";
import type { ProviderDocument } from "@countersign/schemas/providers";
import type { Condition, SignatureScheme } from "@countersign/signatures";
import {
  conditionOf,
  type IsMet,
  type ParsedPlace,
  parsePlace,
  type Places,
} from "@countersign/signatures/places";
import type { EventResource } from "../inbox/inbox.ts";
import type { BodyFormat } from "./headers.ts";
import { type EventIdentity, type Rejected, type RejectionDetail, rejected } from "./outcome.ts";

/** Facts about an event next to its body: `context.event` of a handler. */
export interface EventFacts {
  readonly provider: string;
  /** The event's id; without one, the digest of its bytes. */
  readonly id: string;
  readonly type: string;
  readonly category: string | undefined;
  /** When the event happened, in milliseconds since 1970. */
  readonly time: number | undefined;
  /** False for an event of the provider's test mode; `undefined` if the provider does not say. */
  readonly live: boolean | undefined;
  /** The connected account or platform that the event is about. */
  readonly account: string | undefined;
  /**
   * True for what the signature proves: computed from the document, never sent. A stranger with one recorded attempt can
   * change the rest. `account` and `live` are absent if the provider's events have none.
   */
  readonly signed: {
    readonly id: boolean;
    readonly type: boolean;
    readonly time: boolean;
    /** The body of the event as its handler gets it; of a provider with a place of data, the data. */
    readonly data: boolean;
    readonly account?: boolean;
    readonly live?: boolean;
  };
  /** True if no attempt brought it: `receiver.reconcile` took it, unsigned, from the provider's own list. */
  readonly reconciled?: true;
}

/** An event of any type, as the fallback gets it. */
export interface UnknownEvent extends EventFacts {
  readonly data: unknown;
}

/** An authentic event, decoded. */
export interface IncomingEvent {
  readonly identity: EventIdentity;
  readonly facts: EventFacts;
  /** The handler's first argument: the whole body, an item of a batch, or a form's fields. */
  readonly body: unknown;
  readonly data: unknown;
  /** The place of the data, unless it is the whole body. */
  readonly dataAt: ParsedPlace | undefined;
  /** The bytes that are stored, and compared with those of other events. */
  readonly source: Uint8Array | string;
  readonly format: BodyFormat;
  /** JSON Pointers of numbers whose source text is more precise than the parsed number. */
  readonly inexact: ReadonlyMap<string, string>;
  /** False if only its bytes identify it. */
  readonly hasId: boolean;
  /** True if the inbox looks for equal bytes under another id: a stranger could choose the id, or the sender sends none. */
  readonly comparesBytes: boolean;
}

/** Places of an event's members, parsed once. */
export interface EventPlan {
  readonly when: IsMet | undefined;
  readonly id: readonly ParsedPlace[];
  /** Places and fixed texts. */
  readonly type: readonly (ParsedPlace | string)[];
  readonly separator: string;
  readonly category: ParsedPlace | { readonly before: string } | "catalogue" | undefined;
  readonly time: { readonly at: ParsedPlace; readonly unit: string } | undefined;
  readonly data: ParsedPlace | undefined;
  /** Reads the mode; `undefined` if the event does not say it. */
  readonly live: ((places: Places) => boolean | undefined) | undefined;
  readonly account: ParsedPlace | undefined;
  /** True if an attempt's signature proves the id: the event's key then has only the id, else also the type. */
  readonly provesId: boolean;
  readonly signed: EventFacts["signed"];
}

export function compileEvent(
  event: ProviderDocument["event"],
  scheme: Pick<SignatureScheme, "covers">,
  { when, authentic }: { when?: Conditions; authentic?: readonly string[] | undefined } = {},
): EventPlan {
  const covers = (...places: readonly string[]): boolean => places.every(scheme.covers);
  const id = [event.id ?? []].flat();
  const type = [event.type].flat();
  const { category, live, time, account, data = ANY_FIELD } = event;
  const liveAt = typeof live === "object" ? live.at : live;
  return {
    when: when && conditionOf(when),
    id: id.map(parsePlace),
    type: type.map((part) => (typeof part === "object" ? part.text : parsePlace(part))),
    separator: event.separator ?? ".",
    category:
      typeof category === "object" || category === "catalogue" ? category : optional(category),
    time: time && { at: parsePlace(time.at), unit: time.unit },
    data: optional(event.data),
    live: live === undefined ? undefined : modeReader(live),
    account: optional(account),
    provesId: id.length > 0 && covers(...id),
    signed: {
      // The digest of a form that is signed field by field changes with their order.
      id: covers(...(id.length > 0 ? id : (authentic ?? ["body:"]))),
      type: covers(...type.filter((part) => typeof part === "string")),
      time: time !== undefined && covers(time.at),
      data: covers(...(authentic ?? [data])),
      ...(account !== undefined && { account: covers(account) }),
      ...(liveAt !== undefined && { live: covers(liveAt) }),
    },
  };
}

type Conditions = Condition | readonly Condition[];

/** Returns a reader of the mode. A value that is absent says nothing, unless the condition is about its presence. */
function modeReader(live: string | Condition): NonNullable<EventPlan["live"]> {
  if (typeof live === "string") {
    const place = parsePlace(live);
    return (places) => {
      const text = String(places.value(place));
      return text === "true" || (text === "false" ? false : undefined);
    };
  }
  const [place, isMet] = [parsePlace(live.at), conditionOf(live)];
  return (places) =>
    places.value(place) === undefined && live.present === undefined ? undefined : isMet(places);
}

/** Any field of a form: covered with the bytes of every body, and with all fields of a form. */
const ANY_FIELD = "form:*";

const optional = (place: string | undefined): ParsedPlace | undefined =>
  place === undefined ? undefined : parsePlace(place);

/** A known type; without a validator if its body is not described. */
export interface KnownType extends Pick<CatalogueEntry<unknown>, "amounts"> {
  readonly category: string | undefined;
  /** JSON Pointer of the id of the resource that the event is about. */
  readonly resource?: string | undefined;
  readonly rank?: number | undefined;
  readonly validate?: CatalogueEntry<unknown>["validate"];
}

/** Returns the text before a type's first dot, which is the default category. */
export function categoryOf(type: string, separator = "."): string | undefined {
  const end = type.indexOf(separator);
  return end === -1 ? undefined : type.slice(0, end);
}

export const digestOf = (source: Uint8Array | string): string =>
  hash("sha256", source, "base64url");

/** True if no stranger chose the type: it is signed, or from the provider's own list. */
export const isTypeProved = ({ signed, reconciled }: EventFacts): boolean =>
  signed.type || reconciled === true;

/**
 * Compares a known type's body with its schema. An unknown type passes: senders add types without notice.
 *
 * @returns The faults of a body that runs nevertheless, or a rejection. A type that the signature does not cover could
 *   lead a genuine body to another type's handler, so such a body has to fit.
 */
export function validate(
  { identity: event, facts, body, inexact }: IncomingEvent,
  {
    catalogue,
    refuses,
  }: { readonly catalogue: ReadonlyMap<string, KnownType>; readonly refuses: boolean },
): Rejected | readonly RejectionDetail[] | undefined {
  const entry = catalogue.get(event.type);
  if (entry?.validate === undefined) return undefined;
  const validation = entry.validate(body);
  const details = validation.ok
    ? // Judged on the source text: the parsed number of 0.1000000000000000055 is 0.1.
      entry.amounts
        .filter((amount) => inexact.has(amount))
        .map((pointer) => ({ pointer, message: "has more digits than an amount of cents" }))
    : validation.errors.map(({ pointer, message }) => ({ pointer, message }));
  if (details.length === 0) return undefined;
  return refuses || !isTypeProved(facts)
    ? rejected("CS_EVENT_SCHEMA", { event, details })
    : details;
}

/**
 * Returns the resource that an event is about, by the pointer of its catalogue's entry. `undefined` if the
 * type is unknown or the body has no id there: such an event is neither ordered nor skipped.
 *
 * Types with the same name up to the last dot are states of one resource: a refund that carries its
 * payment's id is not that payment. A type without a dot uses its category.
 */
export function resourceOf(
  { identity: { type }, body, facts }: IncomingEvent,
  entry: KnownType | undefined,
): EventResource | undefined {
  if (entry?.resource === undefined) return undefined;
  const id = valueAt(body, entry.resource);
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  const dot = type.lastIndexOf(".");
  const family = dot === -1 ? entry.category : type.slice(0, dot);
  return {
    name: JSON.stringify([family, id]),
    rank: entry.rank,
    timestamp: facts.time ?? Number.NaN,
  };
}

/** True if the event is an older state of its resource than the last handled one. Ties and invalid times are not. */
export function isSuperseded(
  { type, resource }: { readonly type: string; readonly resource: EventResource },
  last: ResourceState | undefined,
): boolean {
  if (last === undefined) return false;
  const { rank, timestamp } = resource;
  return compareStates({ first: last, second: { type, rank, timestamp } }) === "older";
}

/**
 * Returns an event's amount as exact cents, 1 to 9,999,999,999. Validation has refused numbers whose source
 * text is more precise than the parsed number, so the number's shortest text is the amount.
 *
 * @throws {RangeError} the value is not an amount of cents. No event of a known type that a handler gets has such a value.
 */
export function amountCents(amount: { readonly value: number }): bigint {
  const parsed = parseAmount(String(amount.value));
  if (!parsed.ok) throw new RangeError(`invalid amount of cents: ${parsed.code}`);
  return parsed.cents;
}
