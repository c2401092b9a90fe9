import { afterAll, describe, expect, it } from "vitest";
import { newPayment } from "../payments.ts";
import { refusal } from "../validated.ts";
import { watchRefusals } from "../watch-refusals.ts";

const openService = watchRefusals();
const { service, merchant, call } = await openService({ atEnd: afterAll });

const subscription = {
  url: "https://merchant.example/hooks",
  secretKey: "correct-horse-battery-st",
  subscriptionDetails: { type: "ALL" },
};
const refund = {
  paymentId: await newPayment(service, merchant),
  amount: { currency: "USD", value: 1 },
  requestKey: "key",
  softDescriptor: "Order 7",
  clientReferenceId: "order 7",
};
/** Every text that a merchant stores, by the call and the member that carry it. */
const stored = [
  ["POST", "/v1/webhook/subscribe", "url", subscription],
  ["POST", "/v1/webhook/subscribe", "secretKey", subscription],
  ["POST", "/v1/refunds", "requestKey", refund],
  ["POST", "/v1/refunds", "softDescriptor", refund],
  ["POST", "/v1/refunds", "clientReferenceId", refund],
  ["POST", "/v1/refunds", "clientRefefenceId", refund],
] as const;
/** What ends a header or begins another one. */
const INJECTIONS = ["\r\nx-injected: 1", "\r", "\n", "\u0000", "\u000b", "\u0085"];

describe("B20 a text that a merchant stores", () => {
  it.each(stored)(
    "of %s %s as %s takes nothing that could end a header",
    async (method, path, member, body) => {
      for (const injection of INJECTIONS) {
        for (const text of [`order 7${injection}`, `${injection}order 7`, `order${injection}7`]) {
          const long =
            member === "secretKey" || member === "url" ? `${subscription[member]}${text}` : text;
          const answer = await call(method, path, { json: { ...body, [member]: long } });
          expect([text, refusal(answer).status]).toEqual([text, 400]);
        }
      }
    },
  );

  it("is in no header of an answer, whatever it is", async () => {
    const requestKey = "Set-Cookie: session=1";
    const answers = [
      await call("POST", "/v1/refunds", {
        json: { ...refund, requestKey, clientReferenceId: "x-injected" },
      }),
      await call("POST", "/v1/refunds", { json: { ...refund, requestKey } }),
      await call("GET", "/v1/customers/x-injected%0D%0Ax-injected:%201"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 409, 404]);
    for (const { headers } of answers)
      expect(JSON.stringify(headers)).not.toMatch(/inject|session/i);
  });
});
