import type { Profile } from "@countersign/schemas/profiles";
import { sendingProviderOf } from "@countersign/schemas/provider-of";
import { descriptors } from "../profile/policy.ts";

type Change = (schema: Schema) => Schema;

/** The schemas with what a profile says of them: bounds, alphabets, values, members. */
export function profiledSchemas(profile: Profile, schemas: Schemas): Schemas {
  const { account, amount, limits, refund, subscription } = profile;
  const { catalogue } = sendingProviderOf(profile);
  const types = [...new Set(catalogue.map(({ type }) => type))];
  const categories = [...new Set(catalogue.map(({ category }) => category))].toSorted();
  const { minimum: minLength, maximum } = limits.secretKey;
  // The amounts of events are those of the standard profile.
  const isAmountStandard = amount.minimumCents === 1 && amount.maximumCents === 9_999_999_999;
  const softDescriptor = {
    maxLength: limits.softDescriptor,
    pattern: descriptors[refund.softDescriptor].pattern.source,
    description:
      "Text for the receiving bank, which may or may not show it (interface sections 4.1 and 8).",
  };
  const changes: Readonly<Record<string, Change>> = {
    AccountDetails: members({
      accountType: { enum: account.types },
      accountStatus: { enum: account.statuses },
    }),
    RefundRequest: (schema) => {
      const bounds = { requestKey: { maxLength: limits.key }, softDescriptor };
      const bounded = members(bounds)(schema);
      if (isAmountStandard) return bounded;
      return { ...bounded, properties: { ...bounded.properties, amount: refTo("RefundAmount") } };
    },
    SubscribeRequest: members({
      url: { maxLength: limits.url },
      secretKey: { minLength, maxLength: maximum },
    }),
    NamedEvents: members({ details: { items: { type: "string", enum: types } } }),
    EventCategories: members({ details: { items: { type: "string", enum: categories } } }),
    UnsubscribeRequest: (schema) =>
      subscription.idIn === "body" ? schema : withoutSubscriptionId(schema),
  };
  const own = Object.fromEntries(
    Object.entries(schemas).map(([title, schema]) => [title, changes[title]?.(schema) ?? schema]),
  );
  const answer = refund.clientReferenceIdWhenAbsent === "null" ? {} : refundAnswer(own);
  const all = { ...own, ...answer, RefundAmount: refundAmount(amount, schemas["Amount"] ?? {}) };
  if (profile.name === "standard") return all;
  // The examples are of the standard profile: another one may refuse them.
  return Object.fromEntries(
    Object.entries(all).map(([title, schema]) => [title, withoutExamples(schema)]),
  );
}

/** Adds keywords to the schemas of members. */
const members =
  (keywords: Readonly<Record<string, Schema>>): Change =>
  (schema) => {
    const changed = Object.entries(keywords).map(([name, own]): [string, Schema] => [
      name,
      { ...schema.properties?.[name], ...own },
    ]);
    return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(changed) } };
  };

const withoutExamples: Change = (schema) => {
  const { examples: _, ...rest } = schema;
  return rest;
};

const withoutSubscriptionId: Change = (schema) => {
  const { properties = {}, required = [] } = schema;
  const { subscriptionId: _, ...others } = properties;
  const left = required.filter((name) => name !== "subscriptionId");
  return { ...withoutExamples(schema), properties: others, required: left };
};

/** The amount that a refund may be asked for with. */
function refundAmount({ minimumCents, maximumCents }: Profile["amount"], schema: Schema): Schema {
  const description = "Dollars with at most two digits after the decimal separator.";
  const bounds = { minimum: minimumCents / 100, maximum: maximumCents / 100 };
  return members({ value: { description, type: "number", ...bounds } })(withoutExamples(schema));
}

/** The refund of an answer, if the profile writes it otherwise than an event's. */
function refundAnswer(schemas: Schemas): Schemas {
  const kinds = ["RefundInitiated", "RefundFailed"] as const;
  const { discriminator: _, examples: _examples, ...refund } = schemas["Refund"] ?? {};
  return {
    RefundAnswer: { ...refund, oneOf: kinds.map((kind) => withoutReference(schemas[kind] ?? {})) },
  };
}

/** S 2.2: the answer to a request without `clientReferenceId` may lack it. */
const withoutReference: Change = (schema) => ({
  ...members({ clientReferenceId: { type: "string" } })(schema),
  required: (schema.required ?? []).filter((name) => name !== "clientReferenceId"),
});

/** A schema of OpenAPI 3.1 or AsyncAPI 3.0. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: {
    readonly propertyName: string;
    readonly mapping?: Readonly<Record<string, string>>;
  };
  readonly [keyword: string]: unknown;
}

/** Schemas by their titles. */
export type Schemas = Readonly<Record<string, Schema>>;

export function refTo(title: string): Schema {
  return { $ref: `#/components/schemas/${title}` };
}

/** The title that a reference leads to. */
function titleOf({ $ref: ref }: Schema): string | undefined {
  return ref?.slice("#/components/schemas/".length);
}

/** A schema behind its references. @throws {Error} One leads nowhere. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  const title = titleOf(schema);
  if (title === undefined) return schema;
  const target = schemas[title];
  if (target === undefined) throw new Error(`there is no schema ${title}`);
  return resolved(target, schemas);
}

/** The schemas that a document's other parts lead to, through each other too. */
export function reachable(from: unknown, schemas: Schemas): Schemas {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, inner] of Object.entries<unknown>({ ...value })) {
      const title =
        name === "$ref" && typeof inner === "string" ? titleOf({ $ref: inner }) : undefined;
      if (title === undefined) look(inner);
      else if (!found.has(title)) {
        found.add(title);
        look(schemas[title]);
      }
    }
  };
  look(from);
  return Object.fromEntries(Object.entries(schemas).filter(([title]) => found.has(title)));
}
