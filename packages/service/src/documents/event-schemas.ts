import type { Profile } from "@countersign/schemas/profiles";
import {
  type Envelope,
  providerOf,
  sendingProviderOf,
  type SentEvent,
} from "@countersign/schemas/provider-of";
import { stepsOf, withValueAt } from "@countersign/schemas";
import { resourceOf, subjectOf, writeEnvelope } from "../profile/envelope.ts";
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
  const { envelope, catalogue } = sendingProviderOf(profile);
  return [...Map.groupBy(catalogue, ({ type }) => type)].map(([type, rows]) => {
    const [first = {}, ...more] = rows.flatMap((row) => payloads(envelope, row, schemas));
    const schema = more.length === 0 ? first : { anyOf: [first, ...more] };
    return { type, category: rows[0]?.category ?? "", schema };
  });
}

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
  const data = resolved(refTo(resourceOf(row.kind).title), schemas);
  const kinds = data.oneOf?.map((kind) => resolved(kind, schemas)) ?? [data];
  return kinds.map((kind) => payload(envelope, row, kind));
}

function unknownData(envelope: Envelope, type: string): Schema {
  const known = withValueAt({}, stepsOf(envelope.type), type) as object;
  const { additionalProperties: _, ...open } = objectSchema(known);
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
export function standardTitle(type: string): string {
  const words = type.split(".").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return `${words.join("")}Event`;
}

/** A member's schema, as a value of an envelope. */
type Leaf = readonly [schema: Schema, isRequired: boolean];

/** The schema of the envelopes of a row: one of them, with schemas in place of its values. */
function payload(
  envelope: Envelope,
  row: SentEvent,
  { properties = {}, required = [] }: Schema,
): Schema {
  const data = Object.fromEntries(
    Object.entries(properties).map(([name, schema]): [string, Leaf] => [
      name,
      [schema, required.includes(name)],
    ]),
  );
  const { kind = "payment.created" } = row;
  const members = {
    ...row,
    id: [refTo("Identifier"), true],
    timestamp: [refTo("Timestamp"), true],
  };
  // The root, which exists: nothing is known of the subject of an event that this service does not write.
  const resource = row.kind === undefined ? "" : row.resource;
  const subject = subjectOf(kind, data);
  return objectSchema(writeEnvelope(envelope, { ...members, data, resource, subject }));
}

function objectSchema(envelope: object): Schema {
  // `writeEnvelope` adds texts and objects to the leaves.
  const members = Object.entries<string | Leaf | object>({ ...envelope }).map(
    ([name, value]): readonly [string, Leaf] => {
      if (typeof value === "string") return [name, [{ type: "string", const: value }, true]];
      return [name, isLeaf(value) ? value : [objectSchema(value), true]];
    },
  );
  return {
    type: "object",
    additionalProperties: false,
    required: members.filter(([, [, isRequired]]) => isRequired).map(([name]) => name),
    properties: Object.fromEntries(members.map(([name, [schema]]) => [name, schema])),
  };
}

const isLeaf = (value: object): value is Leaf => Array.isArray(value);

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
