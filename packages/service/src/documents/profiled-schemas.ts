import type { Profile } from "@countersign/schemas/profiles";
import { senderOf } from "@countersign/schemas/provider-of";

type Change = (schema: Schema) => Schema;

/** The schemas with what a profile says of them: bounds, alphabets, values, members. */
export function profiledSchemas(profile: Profile, schemas: Schemas): Schemas {
  const { account, amount, limits, refund, subscription } = profile;
  const { catalogue } = senderOf(profile);
  const changes: Readonly<Record<string, Change>> = {
    AccountDetails: both(
      member("accountType", (value) => ({ ...value, enum: account.types })),
      member("accountStatus", (value) => ({ ...value, enum: account.statuses })),
    ),
    RefundRequest: both(
      isAmountStandard(amount) ? same : member("amount", () => refTo("RefundAmount")),
      member("requestKey", (value) => ({ ...value, maxLength: limits.key })),
      member("softDescriptor", (value) => ({
        ...value,
        maxLength: limits.softDescriptor,
        pattern: refund.softDescriptor === "alphanumeric" ? "^[A-Za-z0-9 ]+$" : "^[ -~]+$",
        description: `Text for the receiving bank, which may or may not show it (interface sections 4.1 and 8).`,
      })),
    ),
    SubscribeRequest: both(
      member("url", (value) => ({ ...value, maxLength: limits.url })),
      member("secretKey", (value) => ({
        ...value,
        minLength: limits.secretKey.minimum,
        maxLength: limits.secretKey.maximum,
      })),
    ),
    NamedEvents: member("details", (value) => ({
      ...value,
      items: {
        type: "string",
        enum: [...new Set(catalogue.map(({ type }) => type))],
      },
    })),
    EventCategories: member("details", (value) => ({
      ...value,
      items: {
        type: "string",
        enum: [...new Set(catalogue.map(({ category }) => category))].toSorted(),
      },
    })),
    UnsubscribeRequest: subscription.idIn === "body" ? same : without("subscriptionId"),
  };
  const own = Object.fromEntries(
    Object.entries(schemas).map(([title, schema]) => [title, (changes[title] ?? same)(schema)]),
  );
  const answer = refund.clientReferenceIdWhenAbsent === "null" ? {} : refundAnswer(own);
  const asked = { RefundAmount: refundAmount(amount)(schemas["Amount"] ?? {}) };
  return withoutExamples({ ...own, ...answer, ...asked }, misled(profile));
}

/** The examples are of the standard profile: the schemas whose examples another one may refuse. */
function misled({ account, amount, limits, subscription, ...profile }: Profile): string[] {
  const { catalogue } = senderOf(profile);
  const names = new Set(catalogue.map(({ type }) => type));
  const areNamesKnown = names.has("refund.authorized") && names.has("refund.failed");
  const isIdInBody = subscription.idIn === "body";
  const areValuesKnown = account.types.includes("savings") && account.statuses.includes("ACTIVE");
  const areTextsShort = limits.key >= 32 && limits.softDescriptor >= 32 && limits.url >= 64;
  return [
    ...(areNamesKnown && isIdInBody ? [] : ["SubscriptionDetails", "UnsubscribeRequest"]),
    ...(areNamesKnown && isIdInBody && areTextsShort ? [] : ["SubscribeRequest"]),
    ...(isAmountStandard(amount) && areTextsShort ? [] : ["RefundRequest"]),
    ...(areValuesKnown ? [] : ["AccountDetails", "Customer", "LinkedAccount"]),
  ];
}

function withoutExamples(schemas: Schemas, titles: readonly string[]): Schemas {
  return Object.fromEntries(
    Object.entries(schemas).map(([title, schema]) => {
      const { examples: _, ...rest } = schema;
      // An event's example holds a resource's.
      const isMisled = titles.includes(title) || (titles.length > 0 && title.endsWith("Event"));
      return [title, isMisled ? rest : schema];
    }),
  );
}

const same: Change = (schema) => schema;

function both(...changes: readonly Change[]): Change {
  return (schema) => changes.reduce((before, change) => change(before), schema);
}

function member(name: string, change: Change): Change {
  return (schema) => ({
    ...schema,
    properties: { ...schema.properties, [name]: change(schema.properties?.[name] ?? {}) },
  });
}

/** A schema without a member; its examples, which may hold it, go too. */
function without(name: string): Change {
  return (schema) => {
    const { properties = {}, required = [], examples: _, ...rest } = schema;
    return {
      ...rest,
      properties: Object.fromEntries(Object.entries(properties).filter(([own]) => own !== name)),
      required: required.filter((own) => own !== name),
    };
  };
}

/** True if a refund may have every amount that an event may have. */
function isAmountStandard({ minimumCents, maximumCents }: Profile["amount"]): boolean {
  return minimumCents === 1 && maximumCents === 9_999_999_999;
}

/** The amount that a refund may be asked for with. */
function refundAmount({ minimumCents, maximumCents }: Profile["amount"]): Change {
  const value = member("value", (number) => ({
    ...number,
    description: "Dollars with at most two digits after the decimal separator.",
    type: "number",
    minimum: minimumCents / 100,
    maximum: maximumCents / 100,
  }));
  return (schema) => {
    const { examples: _, ...amount } = schema;
    return value(amount);
  };
}

/** The refund of an answer, where the profile writes it otherwise than an event's. */
function refundAnswer(schemas: Schemas): Schemas {
  const kinds = ["RefundInitiated", "RefundFailed"] as const;
  const { discriminator: _, examples: _examples, ...refund } = schemas["Refund"] ?? {};
  return {
    RefundAnswer: { ...refund, oneOf: kinds.map((kind) => withoutReference(schemas[kind] ?? {})) },
  };
}

/** S 2.2: the answer to a request without `clientReferenceId` may lack it. */
const withoutReference: Change = (schema) => {
  const name = "clientReferenceId";
  const changed = member(name, (value) => ({ ...value, type: "string" }))(schema);
  return { ...changed, required: (changed.required ?? []).filter((own) => own !== name) };
};

/** A schema of OpenAPI 3.1 or AsyncAPI 3.0. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
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
