import type { Profile } from "@countersign/schemas";
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
  const root = members();
  put(root, places.id, order.id);
  put(root, places.type, order.type ?? row.type);
  if (places.category !== undefined) put(root, places.category, row.category);
  put(root, places.timestamp, new Date(order.at).toISOString());
  const data = { ...(row.kind === undefined ? {} : sampleOf(row.kind)), ...order.data };
  if (Object.keys(data).length === 0) put(root, places.data, members());
  for (const [name, value] of Object.entries(data)) put(root, `${places.data}/${name}`, value);
  // The example's own resource would be one resource for all events, and an order guard would skip most.
  put(root, row.resource, order.resource);
  const own = ownIdOf(row.kind);
  if (own !== undefined) put(root, `${places.data}/${own}`, order.resource);
  for (const [name, value] of Object.entries(order.more ?? {})) put(root, `/${name}`, value);
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

/** @param pointer Of names without escapes, as profiles have them; not `""`. */
function put(root: Members, pointer: string, value: unknown): void {
  const names = pointer.slice(1).split("/");
  const last = names.pop() ?? "";
  let at = root;
  for (const name of names) {
    const next = at[name] ?? members();
    at[name] = next;
    // Made by this function alone, or an object of the example.
    at = next as Members;
  }
  at[last] = value;
}

/** Without a prototype: a name such as `__proto__` is a member like any other. */
function members(): Members {
  // `Object.create` is typed `any`.
  return Object.create(null) as Members;
}
