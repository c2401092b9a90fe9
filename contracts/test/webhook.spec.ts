import { matcher, standardSchemas } from "@countersign/contract-kit/derive";
import { placeholders } from "@countersign/contract-kit/pact";
import { senderOf } from "@countersign/schemas/provider-of";
import { profiles } from "@countersign/schemas/profiles";
import { Matchers } from "@pact-foundation/pact";
import { describe, expect, it } from "vitest";
import { shareSandbox } from "../../packages/sandbox/test/open-sandbox.ts";
import { writtenPact } from "./committed-pact.ts";
import { fromState } from "./interaction.ts";

const { pact, text, committed } = writtenPact({
  consumer: "countersign-service",
  provider: "merchant-receiver",
});
const schemas = standardSchemas();
const { catalogue } = senderOf(profiles.standard);

const open = shareSandbox();

/** The path of the receiver in the pact; that of the receiver's own URL replaces it. */
const RECEIVER_PATH = "/webhooks";

type Members = Readonly<Record<string, unknown>>;

/** Returns the delivery of an event that the service makes once to an address. */
async function deliver(url: string, event: { type: string; data: object }): Promise<Members> {
  const { list, move, post, subscribe } = await open();
  await subscribe(url + RECEIVER_PATH);
  const { body } = await post("/sandbox/events", event);
  // The answer is sent when due deliveries have been attempted.
  await move({ advance: "PT1S" });
  const [delivery = {}] = await list(`/sandbox/deliveries?eventId=${String(body["id"])}`);
  return delivery;
}

interface Delivered {
  readonly description: string;
  readonly requirement: string;
  readonly state: string;
  readonly type: string;
  readonly data: Members;
  /** True if the data violates its schema. */
  readonly isOdd?: boolean;
  readonly status: number | ReturnType<typeof Matchers.matchStatus>;
}

// An acknowledgement is any 2xx (S 6.6), a refusal the answer without a reason.
const acknowledged = Matchers.matchStatus(204, Matchers.HTTPResponseStatusClass.Success);
const refused = 401;

const genuine = catalogue.flatMap(({ type }): readonly Delivered[] => {
  const whole = dataOf(type);
  const delivered = (description: string, data: Members): Delivered => ({
    requirement: "R-ACK-AFTER-HANDLER",
    state: "a genuine attempt",
    type,
    status: acknowledged,
    description,
    data,
  });
  const { accountDetails, ...without } = whole;
  const referring = (clientReferenceId: string | null) => ({ ...whole, clientReferenceId });
  const isReferring = "clientReferenceId" in whole;
  const isLinked = type.startsWith("customer.") && accountDetails !== undefined;
  return [
    delivered(type, isReferring ? referring("order-1042") : whole),
    ...(isReferring ? [delivered(`${type}, without a reference`, referring(null))] : []),
    ...(isLinked ? [delivered(`${type}, without an account`, without)] : []),
  ];
});

const payment = { type: "payment.succeeded", data: dataOf("payment.succeeded") };
const attempted = (requirement: string, state: string, status: Delivered["status"]): Delivered => ({
  description: `payment.succeeded: ${state}`,
  requirement,
  state,
  ...payment,
  status,
});

const deliveries: readonly Delivered[] = [
  ...genuine,
  attempted("R-VERIFY-UNSIGNED", "an attempt without a signature", refused),
  attempted("R-VERIFY-WRONG-KEY", "an attempt signed with another secret", refused),
  attempted("R-VERIFY-TAMPERED", "an attempt whose body was changed after signing", refused),
  attempted("R-VERIFY-TAMPERED", "an attempt whose id was changed after signing", refused),
  attempted("R-VERIFY-STALE", "an attempt that is too old", refused),
  attempted("R-VERIFY-STALE", "an attempt from the future", refused),
  attempted("R-VERIFY-STALE", "an attempt at the edge of the tolerance", acknowledged),
  attempted("R-VERIFY-EACH", "an attempt signed with two secrets", acknowledged),
  attempted("R-ONCE-DUPLICATE", "an attempt of an event that was acknowledged", acknowledged),
  attempted("R-ONCE-REUSED", "an attempt with the id of another event", acknowledged),
  {
    ...attempted("R-EVENT-UNKNOWN", "a genuine attempt", acknowledged),
    description: "payment.succeeded, with a member that is added later",
    data: { ...payment.data, addedLater: { since: "v1" } },
    isOdd: true,
  },
  {
    ...attempted("R-EVENT-SCHEMA", "a genuine attempt", 422),
    description: "payment.succeeded, with an invalid creationDate",
    data: { ...payment.data, creationDate: "yesterday" },
    isOdd: true,
  },
];

function dataOf(type: string): Members {
  const [shown] = schemas.document(`events/${type}.schema.json`).schema.examples ?? [];
  // The examples of events are events.
  return (shown as { readonly data: Members }).data;
}

function bodyOf({ type, data, isOdd = false }: Delivered): object {
  const category = catalogue.find((row) => row.type === type)?.category;
  const envelope = { type, category, timestamp: "2026-11-21T09:30:00.000Z" };
  const event = isOdd ? envelope : { ...envelope, data };
  const matched = matcher(schemas.document(`events/${type}.schema.json`), event);
  return { ...matched, ...(isOdd && { data }), id: fromState("${eventId}", "evt_1") };
}

const headers = {
  "Content-Type": "application/json",
  "webhook-id": Matchers.regex("[A-Za-z0-9_-]{1,64}", "evt_1"),
  "webhook-timestamp": Matchers.regex("\\d{10}", "1760000000"),
  "webhook-signature": Matchers.regex("v1,[A-Za-z0-9+/]{43}=", placeholders.SIGNATURE),
};

// Pact's core is the receiver here.
describe("the service", { tags: "ci" }, () => {
  it.each(deliveries.map((one) => [one.description, one] as const))(
    "delivers %s, and records the answer",
    async (_description, delivered) => {
      const { description, requirement, state, type, data, status } = delivered;
      await pact
        .addInteraction()
        .given(state)
        .uponReceiving(description)
        .reference("requirement", "id", requirement)
        .withRequest("POST", RECEIVER_PATH, (builder) => {
          builder.headers(headers).jsonBody(bodyOf(delivered));
        })
        .willRespondWith(status)
        .executeTest(async ({ url }) => {
          const delivery = await deliver(url, { type, data });
          const answered = typeof status === "number" ? status : 204;
          expect(delivery).toMatchObject({
            state: answered < 300 ? "delivered" : "waiting",
            attempts: [{ number: 1, status: answered }],
          });
        });
    },
  );

  it("writes the committed pact with merchants' receivers, byte for byte", async () => {
    await expect(text()).toMatchFileSnapshot(committed);
  });
});
