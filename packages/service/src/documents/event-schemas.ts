import type { Profile } from "@countersign/schemas/profiles";
import {
  type Envelope,
  providerOf,
  senderOf,
  type SentEvent,
} from "@countersign/schemas/provider-of";
import { type EventKind, subjectOf } from "../profile/envelope.ts";
import { refTo, resolved, type Schema, type Schemas } from "./profiled-schemas.ts";

/** An event that a subscription may name, with the schema of its payload. */
export interface EventSchema {
  readonly type: string;
  readonly category: string;
  readonly schema: Schema;
}

/**
 * The events of a profile in the form of its envelope (S 6, rules 4 and 5), in its order. Two moments
 * that have one name make one event of two schemas.
 */
export function eventSchemas(profile: Profile, schemas: Schemas): readonly EventSchema[] {
  const events = new Map<string, { category: EventSchema["category"]; kinds: Schema[] }>();
  const { envelope, catalogue } = senderOf(profile);
  for (const row of catalogue) {
    const event = events.get(row.type) ?? { category: row.category, kinds: [] };
    event.kinds.push(...payloads(envelope, row, schemas));
    events.set(row.type, event);
  }
  return [...events].map(
    ([
      type,
      {
        category,
        kinds: [first = {}, ...more],
      },
    ]) => ({
      type,
      category,
      schema: more.length === 0 ? first : { anyOf: [first, ...more] },
    }),
  );
}

/** What each kind of event carries as `data`. */
const dataOf: Readonly<Record<EventKind, string>> = {
  "payment.created": "Payment",
  "payment.authorized": "Payment",
  "payment.succeeded": "Payment",
  "payment.failed": "Payment",
  "payment.canceled": "Payment",
  "refund.pending": "Refund",
  "refund.authorized": "Refund",
  "refund.failed": "Refund",
  "customer.created": "Customer",
  "customer.activated": "Customer",
  "customer.deactivated": "Customer",
  "account.linked": "LinkedAccount",
  "account.updated": "LinkedAccount",
  "account.deactivated": "LinkedAccount",
};

/** What a row of the catalogue sends: a schema for each kind of its data. */
function payloads(envelope: Envelope, row: SentEvent, schemas: Schemas): readonly Schema[] {
  // An event that this service does not write: nothing is known of its data.
  if (row.kind === undefined)
    return [
      row.schema === undefined
        ? unknownData(envelope, row.type)
        : payload(envelope, row, row.schema),
    ];
  if (isStandard(envelope, row, schemas)) return [refTo(standardTitle(row.type))];
  const data = resolved(refTo(dataOf[row.kind]), schemas);
  const kinds = data.oneOf?.map((kind) => resolved(kind, schemas)) ?? [data];
  return kinds.map((kind) => payload(envelope, row, kind));
}

function unknownData(envelope: Envelope, type: string): Schema {
  const { additionalProperties: _, ...open } = new Tree()
    .put(envelope.type, { type: "string", const: type })
    .schema();
  return open;
}

function isStandard(
  envelope: Envelope,
  { kind, type, category, resource }: SentEvent,
  schemas: Schemas,
): boolean {
  const standard = schemas[standardTitle(type)]?.properties?.["category"];
  const names = ["id", "type", "category", "timestamp", "data"] as const;
  return (
    kind === type &&
    standard?.["const"] === category &&
    names.every((name) => envelope[name] === `/${name}`) &&
    /^\/data\/(?:id|paymentId|customerId)$/.test(resource)
  );
}

/** `refund.failed` is `RefundFailedEvent`. */
function standardTitle(type: string): string {
  const words = type.split(".").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return `${words.join("")}Event`;
}

/** The counterpart of `writeEnvelope`: each member's schema where the profile's pointers put it. */
function payload(envelope: Envelope, row: SentEvent, data: Schema): Schema {
  const tree = new Tree()
    .put(envelope.id, refTo("Identifier"))
    .put(envelope.type, { type: "string", const: row.type })
    .put(envelope.timestamp, refTo("Timestamp"));
  if (envelope.category !== undefined) {
    tree.put(envelope.category, { type: "string", const: row.category });
  }
  for (const [name, schema] of Object.entries(data.properties ?? {})) {
    const isRequired = data.required?.includes(name) ?? false;
    tree.put(`${envelope.data}/${name}`, schema, isRequired);
  }
  if (row.kind === undefined || tree.has(row.resource)) return tree.schema();
  const beside = row.resource.slice(0, row.resource.lastIndexOf("/"));
  const { type, paymentType } = subjectOf(row.kind, {});
  tree.put(row.resource, refTo("Identifier"));
  tree.put(`${beside}/resourceType`, { type: "string", const: type });
  if (paymentType !== undefined) {
    tree.put(`${beside}/paymentType`, { type: "string", const: paymentType });
  }
  return tree.schema();
}

/** An object's schema that grows by JSON Pointers. */
class Tree {
  readonly #members = new Map<string, { schema: Schema | Tree; isRequired: boolean }>();

  put(pointer: string, schema: Schema, isRequired = true): this {
    const [name = "", ...rest] = pointer.slice(1).split("/");
    if (rest.length === 0) {
      this.#members.set(name, { schema, isRequired });
      return this;
    }
    const child = this.#members.get(name)?.schema;
    const tree = child instanceof Tree ? child : new Tree();
    tree.put(`/${rest.join("/")}`, schema, isRequired);
    this.#members.set(name, { schema: tree, isRequired: true });
    return this;
  }

  has(pointer: string): boolean {
    const [name = "", ...rest] = pointer.slice(1).split("/");
    const child = this.#members.get(name)?.schema;
    if (rest.length === 0) return child !== undefined;
    return child instanceof Tree && child.has(`/${rest.join("/")}`);
  }

  schema(): Schema {
    const members = [...this.#members];
    return {
      type: "object",
      additionalProperties: false,
      required: members.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
      properties: Object.fromEntries(
        members.map(([name, { schema }]) => [
          name,
          schema instanceof Tree ? schema.schema() : schema,
        ]),
      ),
    };
  }
}

export interface SignatureHeader {
  readonly name: string;
  readonly description: string;
}

/** The header fields of an attempt that prove where it comes from, as the profile's provider signs it. */
export function signatureHeaders(profile: Pick<Profile, "provider">): readonly SignatureHeader[] {
  const { id, timestamp, signature } = providerOf(profile);
  const signed = (signature.signed ?? []).map((part) =>
    typeof part === "string" ? part : "text" in part ? JSON.stringify(part.text) : "…",
  );
  const [first] = signature.carrier;
  const after = first?.prefix === undefined ? "" : ` after \`${first.prefix}\``;
  const fields = [
    [id?.at, "Identifier of the event, the same in each attempt."],
    [
      timestamp?.at,
      `Time of this attempt, ${timestamp?.unit === "s" ? "in seconds since 1970" : `as ${timestamp?.unit ?? ""}`}.`,
    ],
    [
      first?.at,
      `${signature.algorithm} over ${signed.join(" ")}, in ${signature.encoding ?? "hex"}${after}.`,
    ],
  ] as const;
  const headers = fields.flatMap(([place, description]) => {
    const name = /^header:([^#]+)/.exec(place ?? "")?.[1];
    return name === undefined ? [] : [[name, description] as const];
  });
  // A header with the time and the signature appears once.
  return [...new Map(headers)].map(([name, description]) => ({ name, description }));
}
