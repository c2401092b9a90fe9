import { describe, expect, it } from "vitest";
import { openService } from "../open-service.ts";
import { validated } from "../validated.ts";
import { createCustomer, linkAccount } from "../../src/use-cases/customers.ts";

describe("GET /v1/customers/{CUSTOMER_ID}", () => {
  it("T-24 answers with the preferred account, else the one that was linked last, its digits as text, and HEAD without a body", async () => {
    const { context, merchant, call } = await openService();
    const person = { firstName: "Ada", lastName: "Osei", email: "ada.osei@example.com" };
    const { id: customerId } = await createCustomer(context, merchant, person);
    const path = `/v1/customers/${customerId}`;
    // All of them are linked at one instant.
    for (const [lastFour, preferred, shown] of [
      ["0041", false, "0041"],
      ["0042", false, "0042"],
      ["0043", true, "0043"],
      ["0044", false, "0043"],
      ["0045", undefined, "0045"],
    ] as const) {
      const account = { customerId, institution: "First Bank", lastFour, type: "savings" };
      await linkAccount(context, merchant, {
        ...account,
        ...(preferred !== undefined && { preferred }),
      });
      const { accountDetails } = validated("customer", await call("GET", path));
      expect(accountDetails).toMatchObject({ accountLastFourDigits: shown });
    }
    const head = await call("HEAD", path);
    expect(head).toMatchObject({ status: 200, text: "", headers: { "cache-control": "no-store" } });
  });
});
