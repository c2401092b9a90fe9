import { describe, expect, it } from "vitest";
import { newCustomer } from "../payments.ts";
import { refusal, validated } from "../validated.ts";
import { watchRefusals } from "../watch-refusals.ts";

const openService = watchRefusals();

describe("GET /v1/customers/{CUSTOMER_ID}", () => {
  it("T-24 T-25 answers with the linked account, with digits and times as text", async () => {
    const { service, merchant, call } = await openService();
    const customerId = await newCustomer(service, merchant);
    await service.useCases.moveCustomer(merchant, { customerId, move: "activate" });
    const answer = await call("GET", `/v1/customers/${customerId}`);

    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(validated("customer", answer)).toEqual({
      id: customerId,
      firstName: "Ada",
      lastName: "Osei",
      email: "ada.osei@example.com",
      customerStatus: "ACTIVE",
      accountDetails: {
        financialInstitutionName: "First Example Bank",
        accountLastFourDigits: "0042",
        accountType: "checking",
        accountStatus: "ACTIVE",
        preferred: true,
        creationDate: "2026-11-20T15:00:00.000Z",
      },
      creationDate: "2026-11-20T15:00:00.000Z",
    });
  });

  it("T-24 omits accountDetails for a customer without an account", async () => {
    const { service, merchant, call } = await openService();
    const person = { firstName: "Bo", lastName: "", email: "bo@example.com" };
    const { id } = await service.useCases.createCustomer(merchant, person);
    const customer = validated("customer", await call("GET", `/v1/customers/${id}`));
    expect(customer.customerStatus).toBe("CREATED");
    expect(customer).not.toHaveProperty("accountDetails");
  });

  it("shows the preferred account, not the one linked last", async () => {
    const { service, merchant, call, clock } = await openService();
    const customerId = await newCustomer(service, merchant);
    clock.advance(1000);
    const second = {
      customerId,
      institution: "Second",
      lastFour: "0043",
      type: "savings",
    } as const;
    await service.useCases.linkAccount(merchant, { ...second, preferred: false });
    const path = `/v1/customers/${customerId}`;
    const details = async (): Promise<unknown> => {
      const { accountDetails } = validated("customer", await call("GET", path));
      return accountDetails;
    };
    expect(await details()).toMatchObject({ accountLastFourDigits: "0042", preferred: true });
    await service.useCases.linkAccount(merchant, { ...second, lastFour: "0044" });
    expect(await details()).toMatchObject({ accountLastFourDigits: "0044", preferred: true });
  });

  it("T-32 is 404, identical for an unknown customer and another merchant's", async () => {
    const { service, call, addMerchant } = await openService();
    const theirs = await newCustomer(service, await addMerchant());
    for (const id of [theirs, "cus_unknown", "%27%20OR%201=1", "x".repeat(1000)]) {
      const answer = await call("GET", `/v1/customers/${id}`);
      expect(refusal(answer)).toEqual({ status: 404, code: "CUSTOMER_NOT_FOUND" });
    }
  });

  it("answers HEAD without a body", async () => {
    const { service, merchant, call } = await openService();
    const customerId = await newCustomer(service, merchant);
    const answer = await call("HEAD", `/v1/customers/${customerId}`);
    expect(answer).toMatchObject({ status: 200, text: "" });
  });
});
