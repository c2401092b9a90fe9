import { afterAll, describe, expect, it } from "vitest";
import { negatives } from "../../../contract-kit/src/derive/negative.ts";
import { standardSchemas } from "../../../contract-kit/src/derive/schema-set.ts";
import { subscription } from "../open-service.ts";
import { newPayment } from "../payments.ts";
import { refusal } from "../validated.ts";
import { watchRefusals } from "../watch-refusals.ts";

const openService = watchRefusals();
// One service for all: what is refused leaves nothing behind that another case could meet.
const { service, merchant, call } = await openService({ atEnd: afterAll });

const invalid = (schema: string, valid: object) =>
  negatives(standardSchemas().document(`resources/${schema}.schema.json`), valid);

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

describe.each([
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
] as const)("%s %s", (method, path, schema, valid) => {
  it("refuses each body that breaks one keyword of its schema with 400 and the place, and stores nothing", async () => {
    let cases = 0;
    for (const { pointer, keyword, value } of valid.flatMap((one) => invalid(schema, one))) {
      cases += 1;
      const answer = refusal(await call(method, path, { json: value }));
      const sent = JSON.stringify(value).slice(0, 300);
      expect([keyword, pointer, sent, answer.status]).toEqual([keyword, pointer, sent, 400]);
      // A wrong kind of a union is reported at the union or at its discriminator.
      const isPlace = (at: string): boolean =>
        at === pointer || pointer.startsWith(`${at}/`) || at.startsWith(`${pointer}/`);
      expect([keyword, sent, Object.keys(answer.members ?? {}).some(isPlace)]).toEqual([
        keyword,
        sent,
        true,
      ]);
    }
    expect(cases).toBeGreaterThan(15);
    for (const json of valid) {
      const { status } = await call(method, path, { json });
      expect(status).toBe({ refunds: 201, subscribe: 200 }[path.split("/").at(-1) ?? ""] ?? 404);
    }
  });
});

describe("POST /v1/tokens", () => {
  it("refuses each JSON body that breaks one keyword of its schema as RFC 6749 says, and makes no token", async () => {
    const { clientId: client_id, clientSecret: client_secret } = merchant;
    const valid = { grant_type: "client_credentials", scope: "payments", client_id, client_secret };
    // RFC 6749, section 3.2: unknown members are ignored.
    const cases = invalid("token-request", valid).filter(
      ({ keyword }) => keyword !== "additionalProperties",
    );
    expect(cases.length).toBeGreaterThan(10);
    for (const { keyword, pointer, value } of cases) {
      const answer = await call("POST", "/v1/tokens", { json: value, token: null });
      const { error } = answer.body as { error: string };
      const isClient = error === "invalid_client" && pointer.startsWith("/client");
      expect([keyword, pointer, answer.status]).toEqual([keyword, pointer, isClient ? 401 : 400]);
      const known = [
        "invalid_request",
        "unsupported_grant_type",
        "invalid_client",
        "invalid_scope",
      ];
      expect(known).toContain(error);
    }
    expect((await call("POST", "/v1/tokens", { json: valid, token: null })).status).toBe(200);
  });
});
