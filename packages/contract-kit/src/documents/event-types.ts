import { pointerOf } from "@countersign/schemas";
import { type JsonSchema, listedTexts, membersWithin, resolved } from "./json-schema.ts";

type Schemas = Readonly<Record<string, JsonSchema>>;

export interface Webhook {
  readonly key: string;
  readonly body: JsonSchema;
  readonly headers: Readonly<Record<string, JsonSchema>>;
  readonly requiredHeaders: readonly string[];
}

/** An event's type, and where it is in each attempt, as in provider documents: `body:/type`, `header:x-event`. */
export interface EventType {
  readonly name: string;
  readonly typeAt?: string;
  /** True if the schema lists other types too. */
  readonly isShared?: boolean;
}

type Listed = readonly [place: string, values: readonly string[]];

/** Names of the member that has the type. */
const USUAL = /^body:\/(?:(?:(?:event|webhook|notification)_?)?(?:type|name)|event)$/i;

/**
 * Returns the types of each webhook. They are in the member of the body that has one value in each webhook and another
 * one in each; else in a member whose listed values have the webhook's key; else in such a header. A webhook has several
 * types if its member of a usual name lists values that no other webhook has. Without such a place the key is the name.
 *
 * @param chosen The place of the type, which then need not list values: `body:/type`, `/type` or `header:X-Event`.
 */
export function eventTypes(
  webhooks: readonly Webhook[],
  schemas: Schemas,
  chosen: string | undefined,
): readonly (readonly EventType[])[] {
  const places = webhooks.map((one) => new Map<string, readonly string[]>(listedIn(one, schemas)));
  const at = chosen?.replace(/^\//, "body:/").replace(/^header:.*/, (text) => text.toLowerCase());
  const candidates = at === undefined ? new Set(places.flatMap((of) => [...of.keys()])) : [at];
  const nameAt = (place: string, isSingle: boolean, index: number): string | undefined => {
    const values = places[index]?.get(place) ?? [];
    const only = values.length === 1 ? values[0] : undefined;
    if (isSingle) return only;
    const key = plain(webhooks[index]?.key ?? "");
    const [similar, ...more] = values.filter((value) => plain(value).includes(key));
    const equal = values.find((value) => plain(value) === key);
    return equal ?? (more.length === 0 ? similar : undefined) ?? only;
  };
  for (const isSingle of [true, false])
    for (const place of candidates) {
      // Any member has one value in a single webhook.
      if (webhooks.length === 1 && at === undefined && !USUAL.test(place)) continue;
      const types = webhooks.map(({ key }, index): EventType => {
        const name = nameAt(place, isSingle, index);
        const found = name !== undefined && { name, typeAt: place, isShared: !isSingle };
        return found || { name: keyOf(key) };
      });
      const found = types.filter(({ typeAt }) => typeAt !== undefined);
      // Some documents forget the type of a webhook; a list of types without its own is no place of types.
      const isForgotten = types.every(
        ({ typeAt }, index) => typeAt !== undefined || !places[index]?.has(place),
      );
      const isDistinct = new Set(types.map(({ name }) => name)).size === types.length;
      if (isForgotten && isDistinct && found.length * 2 > types.length)
        return types.map((type) => [type]);
    }
  for (const place of [...candidates].filter((one) => one === at || USUAL.test(one))) {
    const lists = places.map((of) => of.get(place) ?? []);
    const isDistinct = new Set(lists.flat()).size === lists.flat().length;
    if (isDistinct && lists.filter((values) => values.length > 0).length * 2 > lists.length)
      return webhooks.map(({ key }, index) => {
        const types = (lists[index] ?? []).map((name) => ({ name, typeAt: place, isShared: true }));
        return types.length > 0 ? types : [{ name: keyOf(key) }];
      });
  }
  return webhooks.map(({ key }, index) => {
    const [only, ...others] = places[index]?.get(at ?? "") ?? [];
    const name = only !== undefined && others.length === 0 ? only : keyOf(key);
    return [{ name, ...(at !== undefined && { typeAt: at }) }];
  });
}

/** Some keys are like paths. */
const keyOf = (key: string): string => key.replace(/^\//, "");

/** Keys of webhooks are often the type, or a part of it, in another spelling: `paymentCreated` and `payment.created`. */
const plain = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, "").toLowerCase();

/** The places with listed texts: usual names of types first, then members of the body, of its objects, and headers. */
function listedIn(
  { body, headers, requiredHeaders }: Webhook,
  schemas: Schemas,
): readonly Listed[] {
  const members = listedMembers(body, schemas);
  const names = Object.keys(headers).filter((name) => requiredHeaders.includes(name));
  const usual = members.filter(([place]) => USUAL.test(place));
  const ofHeaders = names.map((name): Listed => {
    return [`header:${name}`, listedTexts(headers[name] ?? {}, schemas)];
  });
  return [...usual, ...members, ...ofHeaders.filter(([, values]) => values.length > 0)];
}

/** The one kind of a body that has a type; `undefined` without one. */
export function kindOfType(
  body: JsonSchema,
  { name, typeAt = "" }: EventType,
  schemas: Schemas,
): JsonSchema | undefined {
  const { properties, oneOf, anyOf = [] } = resolved(body, schemas);
  const fitting = (oneOf ?? anyOf).filter((kind) => {
    const values = new Map(listedMembers(kind, schemas)).get(typeAt);
    return values === undefined || values.includes(name);
  });
  const [only, ...others] = fitting;
  if (only === undefined || others.length > 0 || properties !== undefined) return undefined;
  const values = new Map(listedMembers(only, schemas)).get(typeAt) ?? [];
  return values.length === 1 ? only : kindOfType(only, { name, typeAt }, schemas);
}

function listedMembers(schema: JsonSchema, schemas: Schemas): readonly Listed[] {
  const { properties, oneOf, anyOf } = resolved(schema, schemas);
  const kinds = oneOf ?? anyOf;
  if (properties === undefined && kinds !== undefined)
    return listedInEach(kinds.map((kind) => new Map(listedMembers(kind, schemas))));
  return membersWithin(schema, schemas, 2)
    .toSorted(([one], [other]) => one.length - other.length)
    .map(([steps, member]): Listed => [`body:${pointerOf(steps)}`, listedTexts(member, schemas)])
    .filter(([, values]) => values.length > 0);
}

/** The places that each kind of a union has, with the values of all. */
function listedInEach(kinds: readonly ReadonlyMap<string, readonly string[]>[]): readonly Listed[] {
  const places = [...(kinds[0]?.keys() ?? [])];
  return places
    .filter((place) => kinds.every((kind) => kind.has(place)))
    .map((place) => [place, [...new Set(kinds.flatMap((kind) => kind.get(place) ?? []))]]);
}
