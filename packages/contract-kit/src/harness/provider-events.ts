import { createHash } from "node:crypto";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { type EventForm, formsOf, isOfForm, isOpen, ownFormOf } from "./event-forms.ts";
import type { Header } from "./message.ts";
import { RequestDraft, type RequestParts } from "./request-draft.ts";
import { exampleBody, type ProviderEventsDocument } from "./row-schemas.ts";
import { writeBase, writeEvent } from "./write-event.ts";

type Members = Readonly<Record<string, unknown>>;

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
  /** Default: the form of the type's events. */
  readonly form?: EventForm | undefined;
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
  readonly path: string;
  readonly rows: readonly CatalogueRow[];
  /** Whole bodies by type. Events of that type are made like them. */
  readonly samples?: Samples;
  /** A document that describes the events. */
  readonly document?: ProviderEventsDocument | undefined;
}

export type Samples = ReadonlyMap<string, readonly unknown[]>;

const FORM = "application/x-www-form-urlencoded";

/** Writes events as a provider document describes them: JSON or a form, as one event or as a batch of one. */
export class ProviderEvents {
  readonly provider: ProviderDocument;
  /** The types to send, all of them as JSON or all as forms. A check leaves out those that turn out to have no handler. */
  rows: readonly CatalogueRow[];
  /** Types to send once: they are forms where the first type is JSON, or JSON where it is a form. */
  readonly otherRows: readonly CatalogueRow[];
  readonly samples: Samples;
  readonly document: ProviderEventsDocument | undefined;
  readonly isForm: boolean;
  readonly mediaType: string;
  /** The form of its events whose type can be chosen; else the document's first. */
  readonly form: EventForm;
  /** True if the document says where an event's id is. */
  readonly hasId: boolean;
  /** True if an event of a type that no row has can be written. */
  readonly isOpen: boolean;
  /** All forms of its events, the document's first one first. */
  readonly forms: readonly [EventForm, ...EventForm[]];
  readonly dataAt: string;
  readonly #path: string;
  readonly #formsByType = new Map<string, EventForm>();
  readonly #examples = new Map<CatalogueRow, unknown>();

  constructor({ provider, path, rows, samples = new Map(), document }: ProviderEventsOptions) {
    this.provider = provider;
    this.samples = samples;
    this.document = document;
    this.#path = path;
    this.forms = formsOf(provider);
    const own = ownFormOf(provider, rows[0]?.type ?? "", this.forms);
    this.form = own ?? this.forms.find(isOpen) ?? this.forms[0];
    this.isForm = this.form.isForm;
    this.mediaType = this.#mediaTypeOf(this.form);
    this.rows = rows.filter((row) => this.isUsual(row));
    this.otherRows = rows.filter((row) => !this.isUsual(row));
    this.hasId = this.form.ownIdPlaces.length > 0;
    this.isOpen = isOpen(this.form);
    this.dataAt = this.form.dataAt;
  }

  /** The catalogue's types that are sent like the first one; without a catalogue, examples of documentation. */
  get allRows(): readonly CatalogueRow[] {
    const { catalogue = this.isOpen ? exampleTypes.map((type) => ({ type })) : [] } = this.provider;
    return catalogue.filter((row) => this.isUsual(row));
  }

  formOf(type: string): EventForm {
    const { forms, provider } = this;
    const own =
      this.#formsByType.get(type) ??
      forms.find((form) => isOfForm(form, type)) ??
      ownFormOf(provider, type, forms);
    const form = own ?? forms.find(isOpen) ?? forms[0];
    this.#formsByType.set(type, form);
    return form;
  }

  /** True if a type is sent as JSON, or as a form, like the first type. */
  isUsual({ type }: CatalogueRow): boolean {
    return this.formOf(type).isForm === this.isForm;
  }

  make(order: EventOrder): TestEvent {
    const { provider } = this;
    const row = order.row ?? this.rows[0];
    if (row === undefined) throw new TypeError(`no type of ${provider.title} is to be sent`);
    const form = order.form ?? this.formOf(order.type ?? row.type);
    const { event, idPlaces, separator, isForm } = form;
    const base = order.base ?? this.samples.get(row.type)?.[0] ?? this.#exampleOf(row, form);
    const mediaType = ["Content-Type", this.#mediaTypeOf(form)] as const;
    const draft = new RequestDraft(
      { headers: [mediaType], body: Buffer.alloc(0), path: this.#path },
      { ...provider, event },
    );
    // First without the base: most senders print the envelope first. Then again, over the base's values.
    writeEvent({ draft, provider, form, row, order });
    writeBase(draft, base, form);
    const [{ idPlaces: firstIds, typeParts: firstType, event: first }] = this.forms;
    const others: readonly unknown[] = event === first ? [] : [...firstIds, ...firstType];
    // The sample's other data belongs to the first form.
    const isOther = (place: string, value: unknown): boolean =>
      others.includes(place) || (event !== first && typeof value === "object");
    for (const [place, value] of Object.entries(provider.sample ?? {}))
      if (draft.get(place) === undefined && !isOther(place, value))
        draft.put(place, withId(value, order.id));
    const parts = writeEvent({ draft, provider, form, row, order });
    const type = parts.join(separator);
    const { headers, path } = draft;
    const [own] = form.ownIdPlaces;
    const id = own === undefined ? undefined : (draft.text(own) ?? "");
    const { category } = event;
    const ids = [
      id ?? order.resource,
      order.id,
      idPlaces.map((place) => draft.text(place) ?? "").join(" "),
      provider.delivery === undefined ? "" : (draft.text(provider.delivery) ?? ""),
      ...digestsIn(draft, form),
    ];
    // A handler may know only the beginning of the type.
    const known = typeof category === "object" ? [type.split(category.before)[0] ?? ""] : [];
    return {
      id: id ?? order.id,
      type,
      resource: order.resource,
      text: Buffer.from(draft.body).toString(),
      headers: headers.filter((one) => isForm !== this.isForm || one !== mediaType),
      path,
      ids: [...new Set(ids)].filter((one) => one !== ""),
      types: [...new Set([type, ...parts, ...known])],
    };
  }

  /** Later events of a row have the values of this body. */
  resemble(row: CatalogueRow, body: unknown): void {
    this.#examples.set(row, body);
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
    const draft = new RequestDraft({ headers, body, path }, this.provider);
    const digests = digestsIn(draft, this.form);
    return digests.length === 0
      ? event
      : { ...event, ids: [...new Set([...event.ids, ...digests])] };
  }

  /** A type with another last part: the others are often parts of the event's id too. */
  withLastPart(type: string, change: (last: string) => string): string {
    const { separator, typeParts } = this.form;
    const parts = type.split(separator);
    const fixed = parts.splice(0, typeParts.length - 1);
    return [...fixed, change(parts.join(separator))].join(separator);
  }

  #mediaTypeOf({ isForm }: EventForm): string {
    const [media = "application/json"] = this.provider.media ?? [];
    return isForm ? FORM : media;
  }

  #exampleOf(row: CatalogueRow, { dataAt }: EventForm): unknown {
    const known = this.#examples.get(row) ?? exampleBody(row, dataAt, this.document);
    this.#examples.set(row, known);
    return known;
  }
}

/** The digests of an event's bytes, which identify it if it has no id. */
function digestsIn(draft: RequestDraft, { ownIdPlaces }: EventForm): readonly string[] {
  if (ownIdPlaces.length > 0) return [];
  const item = JSON.stringify(draft.get("item:"));
  const texts = [Buffer.from(draft.body).toString(), ...(item === undefined ? [] : [item])];
  return texts.map(digestOf);
}

/** A value of a document's sample, with the id of the event. */
const withId = (value: unknown, id: string): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll('"$id"', () => JSON.stringify(id)));

const digestOf = (text: string): string =>
  `sha256:${createHash("sha256").update(text).digest("base64url")}`;

/** Types that documentation uses as examples, of a provider whose types are the user's own. */
const exampleTypes: readonly string[] = (
  "invoice.paid user.created order.created payment.succeeded payment.failed customer.created subscription.updated " +
  "user.updated user.deleted contact.created message.created"
).split(" ");
