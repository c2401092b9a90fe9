import { Matchers } from "@pact-foundation/pact";
import {
  type HttpInteraction,
  type Named,
  common,
  fromState,
  given,
  json,
  like,
  named,
  reads,
  refusedCall,
} from "./interaction.ts";

const customer = {
  id: "cus_1",
  firstName: "Ada",
  lastName: "Sample",
  email: "ada@example.test",
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
    const example = { ...customer, customerStatus: status, ...(linked && { accountDetails }) };
    const account = {
      ...like("account-details", accountDetails),
      accountStatus: Matchers.equal("ACTIVE"),
      preferred: Matchers.equal(true),
    };
    const body = {
      ...like("customer", example),
      customerStatus: Matchers.equal(status),
      ...(linked && { accountDetails: account }),
    };
    const what = `${status}, ${linked ? "with" : "without"} an account`;
    const state = given("a customer", { status, linked });
    return {
      ...named(`a look at a customer who is ${what}`, "P-CUSTOMER-READ", state),
      request: asked,
      answer: { status: 200, headers: json, body },
      consume: reads((one) => one.customer("cus_1"), example),
    };
  }),
);

const notFound = (told: Named, id: string, path: unknown = asked.path): HttpInteraction =>
  refusedCall(told, { ...asked, path }, [404, "CUSTOMER_NOT_FOUND"], (one) => one.customer(id));
const foreign = given("a customer of another merchant");

/** `GET /v1/customers/{CUSTOMER_ID}` (S 4.2). */
export const customers: readonly HttpInteraction[] = [
  ...read,
  notFound(named("a look at another merchant's customer", "P-FOREIGN-404", foreign), "cus_1"),
  notFound(
    named("a look at a customer who does not exist", "P-CUSTOMER-NOT-FOUND"),
    "cus_none",
    "/v1/customers/cus_none",
  ),
];
