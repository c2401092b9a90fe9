import type { ProviderDocument } from "@countersign/schemas/providers";
import { isRecord } from "../values.ts";
import { digestOf, idForms, merged, numberFor, ownIds } from "./event-values.ts";
import {
  chooseForm,
  type Condition,
  type Form,
  formOf,
  placesOf,
  type Places,
} from "./event-forms.ts";
import type { Header } from "./message.ts";
import { RequestDraft, type RequestParts, sendsForms } from "./request-draft.ts";
import { printTime } from "./signing.ts";

type Members = Readonly<Record<string, unknown>>;

/** A row of a catalogue. */
export type CatalogueRow = NonNullable<ProviderDocument["catalogue"]>[number];

export interface EventOrder {
  /** Default: the first of `rows`. */
  readonly row?: CatalogueRow | undefined;
  readonly id: string;
  /** Id of the resource that it is about. */
  readonly resource: string;
  /** True to leave the resource's id as `base` has it. */
  readonly keepsResource?: boolean | undefined;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  /** The event's name. Default: the row's. */
  readonly type?: string | undefined;
  /** The whole body before its values are replaced. Default: the row's sample, or an example of its schema. */
  readonly base?: unknown;
  /** Replacements of members of the event's data. */
  readonly data?: Members | undefined;
  /** Replacements at places, such as `body:/name`. */
  readonly more?: Members | undefined;
  /** Id of the delivery. Default: made from the event's. */
  readonly delivery?: string | undefined;
}

/** A new event, as the provider writes it. */
export interface TestEvent {
  readonly id: string;
  readonly type: string;
  readonly resource: string;
  /** The body. An event that is sent again has the same text, since that is what was sent first. */
  readonly text: string;
  /** The headers that carry parts of the event. */
  readonly headers: readonly Header[];
  /** Path and query. */
  readonly path: string;
  /** Ids under which an effect of it could appear: its id, its parts, its delivery's id, its digest. */
  readonly ids: readonly string[];
  /** Names under which a handler may know its type: the whole type, and its parts. */
  readonly types: readonly string[];
}

export interface ProviderEventsOptions {
  readonly provider: ProviderDocument;
  /** Path and query of the receiver. */
  readonly path: string;
  /** The types to send. */
  readonly rows: readonly CatalogueRow[];
  /** Whole bodies by type. Events of that type are made like them. */
  readonly samples?: Samples;
  /** Makes the body of a row without a sample. Default: only what the document names. */
  readonly example?: (row: CatalogueRow, dataAt: string) => unknown;
}

/** The user's sample bodies by type. */
export type Samples = ReadonlyMap<string, readonly unknown[]>;

/** Writes events as a provider document describes them: JSON or a form, alone or as a batch of one. */
export class ProviderEvents {
  readonly provider: ProviderDocument;
  /** The types to send. A check leaves out those that turn out to have no handler. */
  rows: readonly CatalogueRow[];
  readonly samples: Samples;
  readonly isForm: boolean;
  readonly mediaType: string;
  /** True if the document says where an event's id is. */
  readonly hasId: boolean;
  /** True if an event of a type that no row has can be written. */
  readonly isOpen: boolean;
  /** The place of the event's data; that of the body, the item or the form if the document names none. */
  readonly dataAt: string;
  readonly #path: string;
  readonly #example: (row: CatalogueRow, dataAt: string) => unknown;
  readonly #examples = new Map<CatalogueRow, unknown>();
  readonly #places: Places;
  readonly #when: readonly Condition[];
  readonly #type: readonly TypePart[];
  /** The parts of the id that are not values of other places: the first one differs between events. */
  readonly #ids: readonly string[];
  readonly #allIds: readonly string[];
  readonly #options: ProviderEventsOptions;

  /** @param form The form of its events. Default: the one whose types can be chosen. */
  constructor(options: ProviderEventsOptions, form: Form = chooseForm(options.provider)) {
    const { provider, path, rows, samples = new Map(), example = () => ({}) } = options;
    this.#options = options;
    this.provider = provider;
    this.rows = rows;
    this.samples = samples;
    this.#path = path;
    this.#example = example;
    this.#places = form.event;
    this.#when = form.when;
    const { event, timestamp, batch } = { ...provider, event: form.event };
    this.#type = [event.type].flat();
    const own = [...this.#type, event.time?.at, timestamp?.at];
    this.#allIds = [event.id ?? []].flat();
    this.#ids = this.#allIds.filter((place) => !own.includes(place));
    this.isForm = sendsForms(provider);
    const [media = "application/json"] = provider.media ?? [];
    this.mediaType = this.isForm ? "application/x-www-form-urlencoded" : media;
    this.hasId = this.#ids.length > 0;
    this.isOpen = this.#type.some((part) => typeof part === "string");
    this.dataAt = event.data ?? (this.isForm ? "form:" : batch === undefined ? "body:" : "item:");
  }

  make(order: EventOrder): TestEvent {
    const row = order.row ?? this.rows[0];
    if (row === undefined) throw new TypeError(`no type of ${this.provider.title} is to be sent`);
    const form = formOf(this.provider, order.type ?? row.type);
    if (form !== undefined && form.event !== this.#places)
      return new ProviderEvents(this.#options, form).make({ ...order, row });
    const base = order.base ?? this.samples.get(row.type)?.[0] ?? this.#exampleOf(row);
    const mediaType = ["Content-Type", this.mediaType] as const;
    const draft = new RequestDraft(
      { headers: [mediaType], body: Buffer.alloc(0), path: this.#path },
      this.provider,
    );
    const { separator = "." } = this.#places;
    // First without the base: most senders print the envelope first. Then again, over the base's values.
    this.#write(draft, row, order);
    this.#merge(draft, base);
    const other = this.#places === this.provider.event ? [] : placesOf(this.provider.event);
    for (const [place, value] of Object.entries(this.provider.sample ?? {}))
      if (draft.get(place) === undefined && !other.includes(place))
        draft.put(place, withId(value, order.id));
    const type = this.#write(draft, row, order);
    const { headers, path } = draft;
    const text = Buffer.from(draft.body).toString();
    const parts = this.#allIds.map((place) => draft.text(place) ?? "");
    const { delivery } = this.provider;
    return {
      id: this.hasId ? (draft.text(this.#ids[0] ?? "") ?? "") : order.id,
      type: type.join(separator),
      resource: order.resource,
      text,
      headers: headers.filter((one) => one !== mediaType),
      path,
      ids: [
        ...new Set([
          ...(this.hasId ? [draft.text(this.#ids[0] ?? "") ?? ""] : [order.resource]),
          order.id,
          parts.join(" "),
          ...(delivery === undefined ? [] : [draft.text(delivery) ?? ""]),
          ...this.#digests(draft),
        ]),
      ].filter((id) => id !== ""),
      types: [...new Set([type.join(separator), ...type, ...this.#fixed(type, separator)])],
    };
  }

  /** A request with the number of retries before it, where the provider sends that. */
  retried<T extends RequestParts>(request: T, retries: number): T {
    const { attempt } = this.provider.answer ?? {};
    if (attempt === undefined) return request;
    const draft = new RequestDraft(request, this.provider);
    draft.put(attempt, attempt.startsWith("header:") ? String(retries) : retries);
    return { ...request, headers: draft.headers, body: draft.body };
  }

  /** The event of an attempt with another body: without an id, the bytes identify it. */
  traced(event: TestEvent, { headers, body, path = "" }: RequestParts): TestEvent {
    const digests = this.#digests(new RequestDraft({ headers, body, path }, this.provider));
    return digests.length === 0
      ? event
      : { ...event, ids: [...new Set([...event.ids, ...digests])] };
  }

  #digests(draft: RequestDraft): readonly string[] {
    if (this.hasId) return [];
    const item = JSON.stringify(draft.get("item:"));
    return [Buffer.from(draft.body).toString(), ...(item === undefined ? [] : [item])].map(
      digestOf,
    );
  }

  /** A type with another last part: the others are often parts of the event's id too. */
  withLastPart(type: string, change: (last: string) => string): string {
    const { separator = "." } = this.#places;
    const fixed = type.split(separator).slice(0, this.#type.length - 1);
    const last = type.split(separator).slice(fixed.length).join(separator);
    return [...fixed, change(last)].join(separator);
  }

  #exampleOf(row: CatalogueRow): unknown {
    const known = this.#examples.get(row) ?? this.#example(row, this.dataAt);
    this.#examples.set(row, known);
    return known;
  }

  /** @returns The type's parts as they were written. */
  #write(draft: RequestDraft, row: CatalogueRow, order: EventOrder): readonly string[] {
    const {
      event,
      timestamp,
      delivery,
      require = [],
      signature,
    } = {
      ...this.provider,
      event: this.#places,
    };
    for (const condition of [...this.#when, ...require])
      draft.put(condition.at, condition.equals ?? condition.startsWith ?? "1");
    const { live } = event;
    if (typeof live === "object") draft.put(live.at, live.equals ?? live.startsWith ?? "1");
    else if (live !== undefined) draft.put(live, true);
    const [own, ...others] = this.#ids;
    if (own !== undefined) {
      const isNumber = typeof draft.get(own) === "number";
      const forms = isNumber ? [numberFor(order.id)] : idForms(order.id);
      draft.put(own, this.#fitting<string | number>(own, forms));
    }
    for (const place of others) this.#fill(draft, place);
    const type = this.#writeType(draft, order.type ?? row.type);
    const { category } = event;
    if (typeof category === "string" && category !== "catalogue" && !this.#type.includes(category))
      draft.put(category, row.category ?? "EVENT");
    const { time } = event;
    if (time !== undefined && time.at !== timestamp?.at)
      draft.put(time.at, printTime(order.at, time.unit));
    if (delivery !== undefined && !this.#allIds.includes(delivery))
      draft.put(delivery, order.delivery ?? `d${idForms(order.id)[0]}`);
    for (const [name, value] of Object.entries(order.data ?? {}))
      draft.put(this.#inData(name), value);
    if (order.keepsResource !== true) this.#writeResource(draft, row, order.resource);
    for (const [place, value] of Object.entries(order.more ?? {})) draft.put(place, value);
    for (const part of signature.signed ?? [])
      if (typeof part === "object" && "at" in part) this.#fill(draft, part.at);
      else if (
        typeof part === "object" &&
        "ifPresent" in part &&
        !/^(?:body|item):/.test(part.ifPresent)
      )
        draft.put(part.ifPresent, this.#fitting(part.ifPresent, idForms(order.id)));
    // The reference interface's events repeat the id of their header.
    if (this.provider.sending !== undefined && own?.startsWith("header:") === true)
      draft.put("body:/id", order.id);
    return type;
  }

  /** The id of the example's own resource would be one for all events, and an order guard would skip most. */
  #writeResource(draft: RequestDraft, row: CatalogueRow, resource: string): void {
    const places = [row.resource, ...ownIds(row.kind).map((name) => this.#inData(name))];
    const named = [
      ...this.#allIds,
      ...this.#type,
      this.provider.delivery,
      this.provider.timestamp?.at,
    ];
    const usual = ["id", "object_id"].map((name) => this.#inData(name));
    for (const place of row.resource === undefined
      ? [usual.find((one) => !named.includes(one))]
      : places)
      if (place !== undefined) draft.put(place, resource);
  }

  #inData(name: string): string {
    return this.dataAt === "form:" ? `form:${name}` : `${this.dataAt}/${name}`;
  }

  #writeType(draft: RequestDraft, type: string): readonly string[] {
    const { separator = "." } = this.#places;
    const rest = type.split(separator);
    return this.#type.flatMap((part, index) => {
      const isLast = index === this.#type.length - 1;
      const text = (isLast ? rest.splice(0) : rest.splice(0, 1)).join(separator);
      if (typeof part === "object") return [part.text];
      if (text === "") draft.put(part, this.provider.sample?.[part]);
      else {
        const fitting = this.#fitting(part, [text, text.toUpperCase().replaceAll(/\W/g, "_")]);
        draft.put(part, fitting);
        return [fitting];
      }
      return [];
    });
  }

  /** The beginnings of a type of several parts: a handler may know only the first. */
  #fixed(type: readonly string[], separator: string): readonly string[] {
    const whole = type.join(separator);
    const { category } = this.#places;
    const before = typeof category === "object" ? whole.split(category.before)[0] : undefined;
    return before === undefined ? [] : [before];
  }

  /** Puts a value that a place must have, if it has none. */
  #fill(draft: RequestDraft, place: string): void {
    if (draft.get(place) === undefined) draft.put(place, this.#fitting(place, FILLERS));
  }

  #fitting<T extends string | number>(place: string, forms: readonly T[]): T {
    const [first] = forms;
    const pin = this.provider.pin?.find(({ at }) => at === place);
    const whole = new RegExp(`^(?:${pin?.matches ?? ".*"})$`, "s");
    const found = forms.find((form) => whole.test(String(form))) ?? first;
    if (found === undefined) throw new TypeError(`no value for ${place}`);
    return found;
  }

  #merge(draft: RequestDraft, base: unknown): void {
    if (!this.isForm) {
      draft.put("body:", merged(draft.get("body:"), base));
      return;
    }
    for (const [name, value] of Object.entries(isRecord(base) ? base : {}))
      if (draft.get(`form:${name}`) === undefined) draft.put(`form:${name}`, value);
  }
}

type TypePart = string | { readonly text: string };

/** Values for places that must have one: each pin of the documents is met by one of them. */
const FILLERS: readonly string[] = ["cstest", "1", "true", "EUR", "CSTEST"];

/** A value of a document's sample, with the id of the event. */
const withId = (value: unknown, id: string): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll('"$id"', () => JSON.stringify(id)));
