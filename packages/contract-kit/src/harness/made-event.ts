import { noMembers, type Profile, putAt } from "@countersign/schemas";
import { example } from "../derive/example.ts";
import { standardSchemas } from "../derive/schema-set.ts";

type Members = Record<string, unknown>;

export interface EventOrder {
  /** A row of the profile's catalogue. Default: the first. */
  readonly row?: Profile["catalogue"][number] | undefined;
  readonly id: string;
  /** Id of the resource that it is about. */
  readonly resource: string;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  /** The event's name. Default: the row's. */
  readonly type?: string | undefined;
  /** Over the members of the event's data. */
  readonly data?: Readonly<Members> | undefined;
  /** Over the members of the envelope, at its root. */
  readonly more?: Readonly<Members> | undefined;
}

// Read when the first event is made, and kept: the documents never change, and many events are made.
let schemas: ReturnType<typeof standardSchemas> | undefined;
const samples = new Map<string, Readonly<Members>>();

/**
 * An event in the profile's form, as an object that prints as it is sent: the example of its schema, about
 * a resource of its own. A row without a kind has no schema, and its data the resource's id alone.
 */
export function madeEvent(profile: Profile, order: EventOrder): Readonly<Members> {
  const { envelope: places, catalogue } = profile;
  const row = order.row ?? catalogue[0];
  if (row === undefined) throw new TypeError("the profile's catalogue has no event");
  const root = noMembers();
  putAt(root, places.id, order.id);
  putAt(root, places.type, order.type ?? row.type);
  if (places.category !== undefined) putAt(root, places.category, row.category);
  putAt(root, places.timestamp, new Date(order.at).toISOString());
  const data = { ...(row.kind === undefined ? {} : sampleOf(row.kind)), ...order.data };
  if (Object.keys(data).length === 0) putAt(root, places.data, noMembers());
  for (const [name, value] of Object.entries(data)) putAt(root, `${places.data}/${name}`, value);
  // The example's own resource would be one resource for all events, and an order guard would skip most.
  putAt(root, row.resource, order.resource);
  const own = ownIdOf(row.kind);
  if (own !== undefined) putAt(root, `${places.data}/${own}`, order.resource);
  for (const [name, value] of Object.entries(order.more ?? {})) putAt(root, `/${name}`, value);
  return root;
}

function sampleOf(kind: string): Readonly<Members> {
  const known = samples.get(kind);
  if (known !== undefined) return known;
  schemas ??= standardSchemas();
  const schema = schemas.document(`events/${kind}.schema.json`);
  // A schema of an event has an object with the resource under `data`.
  const { data } = example(schema, { optional: "absent" }) as { readonly data: Members };
  samples.set(kind, data);
  return data;
}

/** Where a resource of the standard schemas has its own id. */
function ownIdOf(kind: string | undefined): string | undefined {
  if (kind === undefined) return undefined;
  if (kind.startsWith("customer.")) return "id";
  return kind.startsWith("account.") ? "customerId" : "paymentId";
}
