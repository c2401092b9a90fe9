import { createHash } from "node:crypto";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { isRecord } from "../values.ts";
import type { EventForm } from "./event-forms.ts";
import type { CatalogueRow, EventOrder } from "./provider-events.ts";
import type { RequestDraft } from "./request-draft.ts";
import { printTime } from "./signing.ts";

/** An event that is to be written into a request. */
export interface Writing {
  readonly draft: RequestDraft;
  readonly provider: ProviderDocument;
  readonly form: EventForm;
  readonly row: CatalogueRow;
  readonly order: EventOrder;
}

/** Writes the parts of an event that the provider's document names. @returns The type's parts as they were written. */
export function writeEvent(writing: Writing): readonly string[] {
  const { draft, provider, form, row, order } = writing;
  const { timestamp, delivery, require = [], signature, sending } = provider;
  const { live, category, time } = form.event;
  for (const condition of [...form.when, ...require])
    if (condition.present !== false)
      draft.put(condition.at, condition.equals ?? condition.startsWith ?? "1");
  if (typeof live === "object") draft.put(live.at, live.equals ?? live.startsWith ?? "1");
  else if (live !== undefined) draft.put(live, true);
  const [own, ...others] = form.ownIdPlaces;
  if (own !== undefined) {
    const isNumber = typeof draft.get(own) === "number";
    const forms = isNumber ? [numberFor(order.id)] : idForms(order.id);
    draft.put(own, fitting<string | number>(writing, own, forms));
  }
  for (const place of others) fill(writing, place);
  const type = writeType(writing);
  if (typeof category === "string" && category !== "catalogue")
    if (!form.typeParts.includes(category)) draft.put(category, row.category ?? "EVENT");
  if (time !== undefined && time.at !== timestamp?.at)
    draft.put(time.at, printTime(order.at, time.unit));
  if (delivery !== undefined && !form.idPlaces.includes(delivery))
    draft.put(delivery, order.delivery ?? `d${idForms(order.id)[0]}`);
  for (const [name, value] of Object.entries(order.data ?? {}))
    draft.put(inData(form, name), value);
  if (order.keepsResource !== true) writeResource(writing);
  for (const [place, value] of Object.entries(order.more ?? {})) draft.put(place, value);
  for (const part of signature.signed ?? []) {
    if (typeof part !== "object") continue;
    if ("at" in part) fill(writing, part.at);
    else if ("ifPresent" in part && !/^(?:body|item):/.test(part.ifPresent))
      draft.put(part.ifPresent, fitting(writing, part.ifPresent, idForms(order.id)));
  }
  // The reference interface's events repeat the id of their header.
  if (sending !== undefined && own?.startsWith("header:") === true) draft.put("body:/id", order.id);
  return type;
}

/** Adds what a body has in addition to what is written. */
export function writeBase(draft: RequestDraft, base: unknown, { isForm, dataAt }: EventForm): void {
  // A form may have the JSON in one of its fields.
  if (isForm && dataAt.endsWith("#")) draft.put(dataAt, merged(draft.get(dataAt), base));
  else if (!isForm) draft.put("body:", merged(draft.get("body:"), base));
  else
    for (const [name, value] of Object.entries(isRecord(base) ? base : {}))
      if (draft.get(`form:${name}`) === undefined) draft.put(`form:${name}`, value);
}

/** The id of the example's own resource would be one for all events, and an order guard would skip most. */
function writeResource({ draft, provider, form, row, order }: Writing): void {
  const named = [...form.idPlaces, ...form.typeParts, provider.delivery, provider.timestamp?.at];
  const own = inData(form, "id");
  const places =
    row.resource === undefined
      ? [own].filter((place) => !named.includes(place))
      : [row.resource, ...ownIds(row.kind).map((name) => inData(form, name))];
  for (const place of places) draft.put(place, order.resource);
  // Many vendors have the event's object within the data. An id of the user's own samples is kept.
  const object = ["body:/data/object", "body:/data"].find((place) => isRecord(draft.get(place)));
  if (row.resource !== undefined || object === undefined) return;
  const inner = `${object}/id`;
  const isFree = /^(?:cstest.*)?$/.test(draft.text(inner) ?? "");
  if (isFree && !named.includes(inner)) draft.put(inner, order.resource);
}

const inData = ({ dataAt }: EventForm, name: string): string =>
  dataAt === "form:" ? `form:${name}` : `${dataAt}/${name}`;

function writeType(writing: Writing): readonly string[] {
  const { draft, provider, form, row, order } = writing;
  const rest = (order.type ?? row.type).split(form.separator);
  return form.typeParts.flatMap((part, index) => {
    const isLast = index === form.typeParts.length - 1;
    const text = (isLast ? rest.splice(0) : rest.splice(0, 1)).join(form.separator);
    if (typeof part === "object") return [part.text];
    if (text === "") {
      draft.put(part, provider.sample?.[part]);
      return [];
    }
    const written = fitting(writing, part, [text, text.toUpperCase().replaceAll(/\W/g, "_")]);
    draft.put(part, written);
    return [written];
  });
}

/** Puts a value that a place must have, if it has none. */
function fill(writing: Writing, place: string): void {
  const { draft } = writing;
  if (draft.get(place) === undefined) draft.put(place, fitting(writing, place, FILLERS));
}

function fitting<T extends string | number>(
  { provider }: Pick<Writing, "provider">,
  place: string,
  forms: readonly T[],
): T {
  const found = forms.find((form) => fits(provider, place, String(form))) ?? forms[0];
  if (found === undefined) throw new TypeError(`no value for ${place}`);
  return found;
}

/** An id in the forms that documents demand. */
export function idForms(id: string): readonly string[] {
  const digest = createHash("sha256").update(id).digest("hex");
  return [id, digest.slice(0, 16).toUpperCase(), digest.slice(0, 32)];
}

function numberFor(id: string): number {
  return Number.parseInt(createHash("sha256").update(id).digest("hex").slice(0, 11), 16);
}

/** A value with what another one has in addition. */
function merged(over: unknown, base: unknown): unknown {
  if (Array.isArray(base) && (Array.isArray(over) || !isRecord(over)))
    return base.map((item: unknown, index) =>
      merged(Array.isArray(over) ? (over[index] as unknown) : undefined, item),
    );
  if (!isRecord(over) || !isRecord(base)) return over ?? base;
  const added = Object.entries(base).filter(([name]) => !Object.hasOwn(over, name));
  return Object.fromEntries([
    ...Object.entries(over).map(([name, value]) => [
      name,
      Object.hasOwn(base, name) ? merged(value, base[name]) : value,
    ]),
    ...added,
  ]);
}

/** The members of the reference interface's events that have their resource's id. */
function ownIds(kind: string | undefined): readonly string[] {
  if (kind === undefined) return [];
  if (kind.startsWith("customer.")) return ["id"];
  return [kind.startsWith("account.") ? "customerId" : "paymentId"];
}

/** Values for places that must have one: each pin of the documents is met by two of them. */
export const FILLERS: readonly string[] = [
  "cstest",
  "1",
  "true",
  "EUR",
  "CSTEST",
  "2",
  "false",
  "USD",
];

/** True if a provider's pins allow a value at a place. */
export function fits({ pin = [] }: ProviderDocument, place: string, value: string): boolean {
  const matches = pin.find(({ at }) => at === place)?.matches ?? ".*";
  return new RegExp(`^(?:${matches})$`, "s").test(value);
}
