import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { readJson } from "@countersign/rules";
import { pointerOf, withValueAt } from "@countersign/schemas";
import type { ProviderDocument } from "@countersign/schemas/providers";
import {
  memberAt,
  type ParsedPlace,
  parseJson,
  parsePlace,
  Places,
  type PlaceSource,
  secondsOf,
} from "@countersign/signatures/places";
import {
  categoryOf,
  digestOf,
  type EventFacts,
  type EventPlan,
  type IncomingEvent,
  type KnownType,
} from "./event.ts";
import type { BodyFormat } from "./headers.ts";
import { type Rejected, type RejectionDetail, rejected } from "./outcome.ts";

/** The parts of a receiver that read an attempt's events. */
export interface EventParts {
  readonly provider: Pick<ProviderDocument, "name" | "retries">;
  readonly batch: ParsedPlace | undefined;
  readonly events: readonly EventPlan[];
  readonly authentic: readonly ParsedPlace[] | undefined;
  /** True if the body repeats the signed id as its member "id". */
  readonly repeatsId: boolean;
  readonly catalogue: ReadonlyMap<string, KnownType>;
}

/** An attempt whose body has arrived: its places, and its body parsed once. */
export class Reading {
  readonly places: Places;
  readonly body: Uint8Array;
  readonly format: BodyFormat;
  readonly depth: number;
  #json: ReturnType<typeof readJson> | undefined;

  constructor(
    source: Omit<PlaceSource, "json">,
    { format, depth }: { readonly format: BodyFormat; readonly depth: number },
  ) {
    this.body = source.body;
    this.format = format;
    this.depth = depth;
    this.places = new Places({ ...source, json: () => this.#exact() });
  }

  /** The body as strict JSON. */
  get json(): ReturnType<typeof readJson> {
    return (this.#json ??= readJson(this.body, { depth: this.depth }));
  }

  /** The body for places: integers that a number cannot hold are their source text, or two ids could become one. */
  #exact(): unknown {
    const { json } = this;
    if (!json.ok) throw new SyntaxError(json.code);
    return json.numbers.size === 0 ? json.value : parseJson(this.body);
  }
}

/** One event of an attempt, before its members are found. */
interface Item {
  readonly places: Places;
  readonly body: unknown;
  readonly source: Uint8Array | string;
  readonly inexact: ReadonlyMap<string, string>;
}

/** Finds the attempt's events: one, or all items of its batch. */
export function readEvents(
  reading: Reading,
  tenant: string,
  parts: EventParts,
): readonly IncomingEvent[] | Rejected {
  const { places, body, format, depth } = reading;
  const { batch } = parts;
  // Conditions of handshakes may have looked for members that this body has not.
  places.problem = undefined;
  const read = readBody(reading);
  if ("kind" in read) return read;
  const { value, numbers } = read;
  const from = { tenant, format, depth };
  if (batch === undefined) {
    const item = { places, body: value, source: body, inexact: numbers };
    const event = readEvent(item, from, parts);
    return "kind" in event ? event : [event];
  }

  const [plain, exact] = [memberAt(value, batch.members), places.any(batch)];
  if (!Array.isArray(plain) || !Array.isArray(exact))
    return malformed(batch.text, "be a list of events");
  const events: IncomingEvent[] = [];
  for (const [index, item] of (plain as readonly unknown[]).entries()) {
    const inexact = below(numbers, [...batch.members, String(index)]);
    const own = places.ofItem(exact[index] as unknown);
    const source = JSON.stringify(item);
    const event = readEvent({ places: own, body: item, source, inexact }, from, parts);
    if ("kind" in event) return event;
    events.push(event);
  }
  return events;
}

const NO_NUMBERS: ReadonlyMap<string, string> = new Map();

/** Decodes the whole body: strict JSON, a form's fields, or a text that is no JSON. */
function readBody({
  places,
  body,
  format,
  json,
}: Reading): { readonly value: unknown; readonly numbers: ReadonlyMap<string, string> } | Rejected {
  if (format === "form") {
    const value = Object.fromEntries(places.sortedForm());
    const { problem } = places;
    return problem === undefined
      ? { value, numbers: NO_NUMBERS }
      : malformed(problem.place, "be sent once, in UTF-8");
  }
  if (json.ok) return json;
  if (format === "text" && isUtf8(body)) return { value: textOf(body), numbers: NO_NUMBERS };
  const { code, offset } = json;
  const details = [
    { message: offset === undefined ? code : `${code} at offset ${String(offset)}` },
  ];
  return rejected("CS_BODY_NOT_JSON", { details });
}

/** Finds one event's members at the places of the first form whose condition is met. */
function readEvent(
  item: Item,
  { tenant, format, depth }: Pick<Reading, "format" | "depth"> & { readonly tenant: string },
  { provider, events, authentic, catalogue, repeatsId }: EventParts,
): IncomingEvent | Rejected {
  const { places } = item;
  const plan = events.find(({ when }) => when === undefined || when(places));
  // The last form has no condition.
  if (plan === undefined) throw new TypeError("a provider has no event");
  const type = typeOf(plan, places);
  if (type === undefined) return malformed(textsOf(plan.type), "be an event type");
  const ids: string[] = [];
  for (const at of plan.id) {
    const given = String(places.value(at) ?? "");
    // A member's name may be one of several parts.
    const id = plan.id.length > 1 && given.isWellFormed() ? encoded(given) : given;
    if (!ID.test(id)) return malformed(at.text, "be an id of printable ASCII without spaces");
    ids.push(id);
  }
  // A handler could keep its records by either.
  if (repeatsId && memberAt(item.body, ["id"]) !== ids[0])
    return malformed("body:/id", "be the signed id");
  const { category: known } = catalogue.get(type) ?? {};
  const time = plan.time && secondsOf(places.value(plan.time.at), plan.time.unit);
  const account = plan.account && places.value(plan.account);
  const data = plan.data === undefined ? item.body : dataAt(plan.data, item, depth);
  if (data === NOT_JSON) return rejected("CS_BODY_NOT_JSON");
  // A form's field with JSON is the body: the form is only its envelope.
  const whole = plan.data?.isJson === true ? data : item.body;
  const body = authentic === undefined ? whole : onlyAt(authentic, places);
  const source = authentic === undefined ? item.source : JSON.stringify(body);
  const { signed, provesId } = plan;
  const hasId = ids.length > 0;
  // Nobody repeats it: another attempt with these bytes is another event, and runs although this one is still handled.
  const own = hasId || provider.retries !== "none" ? "" : ` ${randomUUID()}`;
  const id = hasId ? ids.join(" ") : `sha256:${digestOf(source)}`;
  const facts: EventFacts = {
    provider: provider.name,
    id,
    type,
    category: categoryAt(plan, places, type) ?? known ?? categoryOf(type),
    time: time === undefined ? undefined : Math.round(time * 1000),
    live: plan.live?.(places),
    account: account === undefined ? undefined : String(account),
    signed,
  };
  if (places.problem?.reason === "duplicate")
    return malformed(places.problem.place, "be sent once");
  return {
    // Another delivery of a proved id is a duplicate, whatever its type; without the proof the type counts too.
    identity: {
      key: {
        provider: provider.name,
        tenant,
        id: provesId || ids.length > 1 ? id : `${id} ${encoded(type)}${own}`,
      },
      type,
    },
    facts,
    body,
    data: authentic === undefined ? data : body,
    dataAt: authentic === undefined ? plan.data : undefined,
    source,
    format,
    inexact: item.inexact,
    hasId,
    comparesBytes: hasId ? !provesId : own !== "",
  };
}

/** Of one part of an event's id: parts are joined with a space in the inbox's key. */
const ID = /^[\x21-\x7e]{1,256}$/;
const MAX_TYPE_LENGTH = 256;

function typeOf({ type, separator }: EventPlan, places: Places): string | undefined {
  const parts = type.map((part) => (typeof part === "string" ? part : places.value(part)));
  if (parts[0] === undefined) return undefined;
  const joined = parts.filter((part) => part !== undefined).join(separator);
  return joined === "" || joined.length > MAX_TYPE_LENGTH ? undefined : joined;
}

function categoryAt({ category }: EventPlan, places: Places, type: string): string | undefined {
  if (category === undefined || category === "catalogue") return undefined;
  if ("before" in category) return categoryOf(type, category.before);
  const value = places.value(category);
  return value === undefined ? undefined : String(value);
}

export const NOT_JSON: unique symbol = Symbol("not JSON");

/** The value of a body's member is the parsed one, whose numbers are numbers; JSON in a form's field is strict too. */
export function dataAt(
  at: ParsedPlace,
  { places, body }: Pick<Item, "places" | "body">,
  depth: number,
): unknown {
  if (at.kind === "item" || at.kind === "body") return memberAt(body, at.members);
  if (at.isJson !== true) return places.any(at);
  const json = readJson(String(places.value(parsePlace(`form:${at.name}`)) ?? ""), { depth });
  return json.ok ? memberAt(json.value, at.members) : NOT_JSON;
}

/** The values that the signature proves, where they were in the body; others by their place. */
function onlyAt(authentic: readonly ParsedPlace[], places: Places): object {
  let values: unknown = {};
  for (const at of authentic) {
    const isPointer = at.kind === "body" || at.kind === "item";
    values = withValueAt(values, isPointer ? at.members : [at.text], places.any(at));
  }
  // A place has a step: the whole body is an object.
  return values as object;
}

/** A part of a key: other characters than those of ids are encoded, and "%", so that no two texts become one. */
const encoded = (text: string): string =>
  text.replaceAll(/[^!-$&-~]/gu, (character) => encodeURIComponent(character));

/** A body that was read as strict JSON or as a form is UTF-8. */
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const textsOf = (type: EventPlan["type"]): string =>
  type.map((part) => (typeof part === "string" ? part : part.text)).join(", ");

function malformed(place: string, expected: string): Rejected {
  const pointer = /^(?:body|item):(?<pointer>.+)$/s.exec(place)?.groups?.["pointer"];
  const detail: RejectionDetail =
    pointer === undefined
      ? { message: `${place} must ${expected}` }
      : { pointer, message: `must ${expected}` };
  return rejected("CS_EVENT_ENVELOPE", { details: [detail] });
}

/** The entries below a pointer, by their pointers from there. */
function below(
  numbers: ReadonlyMap<string, string>,
  members: readonly string[],
): ReadonlyMap<string, string> {
  if (numbers.size === 0) return numbers;
  const start = `${pointerOf(members)}/`;
  return new Map(
    [...numbers]
      .filter(([pointer]) => pointer.startsWith(start))
      .map(([pointer, text]) => [pointer.slice(start.length - 1), text]),
  );
}
