import { Matchers } from "@pact-foundation/pact";
import { client, common, expectAnswer, expectRefused } from "./calls.ts";
import { fromState, given, json, like, refusal, type HttpInteraction } from "./interaction.ts";

const customer = {
  id: "cus_1",
  firstName: "Ada",
  lastName: "Sample",
  email: "ada@example.test",
  customerStatus: "ACTIVE",
  creationDate: "2026-11-20T16:00:00.000Z",
};
const accountDetails = {
  financialInstitutionName: "First Sample Bank",
  accountLastFourDigits: "6789",
  accountType: "checking",
  accountStatus: "ACTIVE",
  preferred: true,
  creationDate: "2026-11-20T16:04:05.120Z",
};

const asked: HttpInteraction["request"] = {
  method: "GET",
  path: fromState("/v1/customers/${customerId}", "/v1/customers/cus_1"),
  headers: common,
};

/** Each status, with a linked account and without. */
const read = (["CREATED", "ACTIVE", "INACTIVE"] as const).flatMap((status) =>
  [true, false].map((linked): HttpInteraction => {
    const example = {
      ...customer,
      customerStatus: status,
      ...(linked && { accountDetails }),
    };
    return {
      description: `a look at a customer who is ${status}, ${linked ? "with" : "without"} an account`,
      requirement: "P-CUSTOMER-READ",
      given: given("a customer", { status, linked }),
      request: asked,
      answer: {
        status: 200,
        headers: json,
        body: {
          ...like("resources/customer.schema.json", example),
          customerStatus: Matchers.equal(status),
          ...(linked && {
            accountDetails: {
              ...like("resources/account-details.schema.json", accountDetails),
              accountStatus: Matchers.equal("ACTIVE"),
              preferred: Matchers.equal(true),
            },
          }),
        },
      },
      consume: (url) => expectAnswer(client(url).customer("cus_1"), example),
    };
  }),
);

/** `GET /v1/customers/{CUSTOMER_ID}` (S 4.2). */
export const customers: readonly HttpInteraction[] = [
  ...read,
  {
    description: "a look at another merchant's customer",
    requirement: "P-FOREIGN-404",
    given: given("a customer of another merchant", {}),
    request: asked,
    answer: refusal(404, "CUSTOMER_NOT_FOUND"),
    consume: (url) =>
      expectRefused(client(url).customer("cus_1"), {
        status: 404,
        errorCode: "CUSTOMER_NOT_FOUND",
      }),
  },
  {
    description: "a look at a customer who does not exist",
    requirement: "P-CUSTOMER-NOT-FOUND",
    given: given("a merchant", {}),
    request: { ...asked, path: "/v1/customers/cus_none" },
    answer: refusal(404, "CUSTOMER_NOT_FOUND"),
    consume: (url) =>
      expectRefused(client(url).customer("cus_none"), {
        status: 404,
        errorCode: "CUSTOMER_NOT_FOUND",
      }),
  },
];
