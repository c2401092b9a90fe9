import { afterAll, describe, expect, it } from "vitest";
import { newPayment } from "../payments.ts";
import { refusal } from "../validated.ts";
import { watchRefusals } from "../watch-refusals.ts";
import { brokenBodies } from "./broken.ts";
import { schemaOf } from "./schema.ts";

const openService = watchRefusals();
// One service for all: what is refused leaves nothing behind that another case could meet.
const { service, merchant, call } = await openService({ atEnd: afterAll });

const refund = {
  paymentId: await newPayment(service, merchant),
  amount: { currency: "USD", value: 10.5 },
  clientReferenceId: "order 7",
  clientRefefenceId: "order 7",
  softDescriptor: "Order 7",
  requestKey: "key 7",
};
const details = [
  { type: "EVENT", details: ["refund.failed", "refund.pending"] },
  { type: "CATEGORY", details: ["PAYMENT", "ACCOUNT"] },
  { type: "ALL", details: ["anything"] },
];
const subscription = { url: "https://merchant.example/", secretKey: "correct-horse-battery-st" };

/** Each call whose body a writer's schema describes, with valid bodies that have every member. */
const calls: readonly (readonly [
  method: string,
  path: string,
  schema: string,
  valid: readonly object[],
])[] = [
  ["POST", "/v1/refunds", "refund-request", [refund]],
  [
    "POST",
    "/v1/webhook/subscribe",
    "subscribe-request",
    details.map((subscriptionDetails) => ({ ...subscription, subscriptionDetails })),
  ],
  [
    "PUT",
    "/v1/webhook/unsubscribe",
    "unsubscribe-request",
    details.map((subscriptionDetails) => ({ subscriptionId: "sub_1", subscriptionDetails })),
  ],
];

describe.each(calls)(
  "a body of %s %s that breaks one keyword of its schema",
  (method, path, schema, valid) => {
    it("is 400 with a pointer to the place, whatever the keyword, and stores nothing", async () => {
      const cases = valid.flatMap((body) => brokenBodies(schemaOf(schema), body));
      const keywords = new Set(cases.map(({ keyword }) => keyword));
      expect([...keywords]).toEqual(
        expect.arrayContaining(["type", "required", "additionalProperties"]),
      );
      expect(cases.length).toBeGreaterThan(80);
      for (const { pointer, keyword, body } of cases) {
        const answer = await call(method, path, { json: body });
        const told = refusal(answer);
        const sent = JSON.stringify(body).slice(0, 300);
        expect([keyword, pointer, sent, told.status]).toEqual([keyword, pointer, sent, 400]);
        const pointers = Object.keys(told.members ?? {});
        // A discriminator that is wrong is told of where it stands, its object where there is none.
        const places = [pointer, pointer.replace(/\/type$/, "")];
        expect([keyword, sent, pointers.some((one) => places.includes(one)), pointers]).toEqual([
          keyword,
          sent,
          true,
          pointers,
        ]);
      }
    });

    it("is not 400 before it is broken", async () => {
      for (const json of valid) {
        const { status } = await call(method, path, { json });
        expect([json, status]).toEqual([
          json,
          path.endsWith("unsubscribe") ? 404 : expect.toBeOneOf([200, 201]),
        ]);
      }
    });
  },
);

describe("a JSON body of POST /v1/tokens that breaks one keyword of its schema", () => {
  const { clientId, clientSecret } = merchant;
  const valid = {
    grant_type: "client_credentials",
    scope: "payments",
    client_id: clientId,
    client_secret: clientSecret,
  };

  it("is refused as RFC 6749 has it, and makes no token", async () => {
    // RFC 6749, section 3.2: members that nobody knows are left out of sight.
    const cases = brokenBodies(schemaOf("token-request"), valid).filter(
      ({ keyword }) => keyword !== "additionalProperties",
    );
    expect(cases.length).toBeGreaterThan(60);
    for (const { keyword, pointer, body } of cases) {
      const answer = await call("POST", "/v1/tokens", { json: body, token: null });
      const { error } = answer.body as { error: string };
      const where = [keyword, pointer, JSON.stringify(body).slice(0, 200)];
      expect([...where, answer.status]).toEqual([
        ...where,
        pointer.startsWith("/client") && error === "invalid_client" ? 401 : 400,
      ]);
      expect([
        "invalid_request",
        "unsupported_grant_type",
        "invalid_client",
        "invalid_scope",
      ]).toContain(error);
    }
  });

  it("gets a token before it is broken", async () => {
    expect((await call("POST", "/v1/tokens", { json: valid, token: null })).status).toBe(200);
  });
});
