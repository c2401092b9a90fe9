import { isDeepStrictEqual } from "node:util";
import {
  example,
  matcher,
  schemaNamed,
  standardSchemas,
  type Matcher,
} from "@countersign/contract-kit/derive";
import { createReceiver, memoryInbox, type Outcome } from "@countersign/receiver";
import { reference as provider } from "@countersign/receiver/providers";
import { signedAttempt } from "@countersign/receiver/testing";
import type { EventType } from "@countersign/schemas";
import { Matchers } from "@pact-foundation/pact";
import { describe, expect, it } from "vitest";
import { writtenPact } from "./committed-pact.ts";
import { given } from "./interaction.ts";

const { pact, text, committed } = writtenPact({
  consumer: "countersign-receiver",
  provider: "countersign-service",
});
const schemas = standardSchemas();
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const options = { provider, secrets: [SECRET], fallback: () => {}, log: false } as const;

/** The headers that a receiver of Standard Webhooks reads. */
const metadata = {
  contentType: "application/json",
  "webhook-id": Matchers.regex("[A-Za-z0-9_-]{1,64}", "evt_1"),
  "webhook-timestamp": Matchers.regex("\\d{10}", "1760000000"),
  "webhook-signature": Matchers.regex(
    "v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*",
    `v1,${"A".repeat(43)}=`,
  ),
};

interface Shape {
  readonly type: EventType;
  readonly optional: "present" | "absent";
  readonly event: Readonly<Record<string, unknown>>;
}

// The catalogue's types are the events of the schemas.
const types = (provider.catalogue ?? []).map(({ type }) => type as EventType);

/** Types without optional members: a new customer has no account yet. */
const alwaysAlike: readonly string[] = ["customer.created"];

/** Each type, with the optional members that its own example has and without any. */
const shapes = types.flatMap((type): readonly Shape[] => {
  const at = schemaNamed(schemas, type);
  const [shown = example(at, { optional: "present" })] = at.schema.examples ?? [];
  const present = withReference(shown, "order-1042");
  const absent = withReference(example(at, { optional: "absent" }), null);
  const isAlike = alwaysAlike.includes(type) || isDeepStrictEqual(present, absent);
  return [
    { type, optional: "present", event: present },
    ...(isAlike ? [] : [{ type, optional: "absent" as const, event: absent }]),
  ];
});

/** `clientReferenceId` is always there, as text or as null. */
function withReference(event: unknown, reference: string | null): Shape["event"] {
  // Every event of the schemas is an object, and its data too.
  const { data, ...envelope } = event as { readonly data: Readonly<Record<string, unknown>> };
  const has = "clientReferenceId" in data;
  return { ...envelope, data: has ? { ...data, clientReferenceId: reference } : data };
}

/** Members that the event's type decides: another value of the same kind would be another event. */
const decided = (type: EventType): readonly string[] => [
  "paymentStatus",
  "customerStatus",
  "preferred",
  "covered",
  // A customer's own move says nothing of the account.
  ...(type.startsWith("account.") ? ["accountStatus"] : []),
];

/** The matchers of an object; members that the type determines are matched exactly. */
function exactly(shown: unknown, matched: unknown, names: readonly string[]): unknown {
  if (typeof shown !== "object" || shown === null) return matched;
  // A matcher of an object has the object's members.
  const matchers = matched as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(shown).map(([name, value]): [string, unknown] => [
      name,
      names.includes(name) ? Matchers.equal(value) : exactly(value, matchers[name], names),
    ]),
  );
}

async function outcomeOf(body: string, signature: Record<string, string> = {}): Promise<Outcome> {
  const receiver = createReceiver({ ...options, inbox: memoryInbox() });
  const { headers } = signedAttempt({
    provider,
    secrets: [SECRET],
    event: body,
    id: "evt_1",
  });
  return receiver.receive({ headers: { ...headers, ...signature }, body: Buffer.from(body) });
}
const forged = { "webhook-signature": `v1,${"B".repeat(43)}=` };

describe("the receiver", () => {
  it.each(shapes.map((shape) => [shape.type, shape.optional, shape] as const))(
    "reads %s with optional members %s, and refuses its bytes with another signature",
    async (type, optional, { event }) => {
      const { state, params } = given("an event", { type, optional });
      const matched: Matcher = matcher(schemaNamed(schemas, type), event);
      const body = {
        ...matched,
        data: exactly(event["data"], "data" in matched ? matched["data"] : {}, decided(type)),
        id: Matchers.regex("[A-Za-z0-9_-]{1,64}", "evt_1"),
      };
      await pact
        .addAsynchronousInteraction()
        .given(state, params)
        .reference("requirement", "id", "P-EVENT-SCHEMA")
        .expectsToReceive(`${type}, with optional members ${optional}`, (builder) => {
          // Matchers are accepted too, which Pact's type of metadata does not say.
          builder.withMetadata(metadata as object as Record<string, string>).withJSONContent(body);
        })
        .executeTest(async ({ contents }) => {
          const sent = JSON.stringify(contents.content);
          expect(await outcomeOf(sent)).toMatchObject({ kind: "unrouted", type });
          expect(await outcomeOf(sent, forged)).toMatchObject({ kind: "rejected" });
        });
    },
  );

  it("writes the committed pact with the service, byte for byte, for every type of event", async () => {
    expect(new Set(shapes.map(({ type }) => type)).size).toBe(types.length);
    await expect(text()).toMatchFileSnapshot(committed);
  });
});
