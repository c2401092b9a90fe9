import { readJson } from "@countersign/rules";
import { parsePlace, Places } from "@countersign/signatures/places";
import type { TakenEvent } from "../inbox/inbox.ts";
import type { EventFacts, IncomingEvent } from "./event.ts";
import type { BodyFormat } from "./headers.ts";
import { type Rejected, rejected } from "./outcome.ts";
import { dataAt } from "./read-events.ts";

/** A stored event's facts next to its body, so that a worker needs no headers. They repeat nothing of the body. */
interface StoredFacts {
  readonly facts: EventFacts;
  readonly format: BodyFormat;
  /** The place of the data in the body. */
  readonly at?: string;
  /** The data, if it is not in the body. */
  readonly data?: unknown;
}

/** The facts of an event as an inbox stores them. */
export function storedFacts({ facts, format, data, dataAt: at }: IncomingEvent): string {
  const isInBody = at !== undefined && /^(?:body|item|form)$/.test(at.kind);
  const stored: StoredFacts = {
    facts,
    format,
    ...(at !== undefined && (isInBody ? { at: at.text } : { data })),
  };
  return JSON.stringify(stored);
}

/** A stored event, read again. */
export function storedEvent(
  { key, type, body: source, facts: text }: TakenEvent,
  { depth }: { readonly depth: number },
): IncomingEvent | Rejected {
  // The text was made by `storedFacts`.
  const { facts, format, at, data: elsewhere } = JSON.parse(text) as StoredFacts;
  const identity = { key, type };
  const json = format === "form" ? undefined : readJson(source, { depth });
  if (json?.ok === false && format === "json")
    return rejected("CS_BODY_NOT_JSON", { event: identity });
  const places = new Places({ headers: {}, body: new TextEncoder().encode(source) });
  const fields = json === undefined ? Object.fromEntries(places.sortedForm()) : source;
  const whole = json?.ok === true ? json.value : fields;
  const place = at === undefined ? undefined : parsePlace(at);
  const data =
    place === undefined ? (elsewhere ?? whole) : dataAt(place, { places, body: whole }, depth);
  return {
    identity,
    facts,
    source,
    format,
    body: place?.isJson === true ? data : whole,
    data,
    dataAt: place,
    inexact: json?.ok === true ? json.numbers : new Map<string, string>(),
    hasId: true,
    comparesBytes: false,
  };
}
