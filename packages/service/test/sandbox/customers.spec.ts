import { describe, expect, it } from "vitest";
import { shareSandbox, refusal } from "./open-sandbox.ts";

const open = shareSandbox();

describe("a customer of the sandbox", () => {
  it("is created, linked, activated, deactivated and unlinked, each with its event (S 3.2)", async () => {
    const one = await open();
    const token = await one.addNamespace();
    const person = { firstName: "Zoë", lastName: "Sample", email: "z@example.test" };
    const made = await one.post("/sandbox/customers", person, token);
    expect(made).toMatchObject({ status: 201, body: { ...person, customerStatus: "CREATED" } });
    expect(made.body).not.toHaveProperty("accountDetails");
    const id = String(made.body["id"]);
    const move = async (name: string, json?: object): Promise<object> =>
      (await one.post(`/sandbox/customers/${id}/${name}`, json, token)).body;
    const account = { accountLastFourDigits: "0042", accountType: "savings" };
    expect(await move("link", account)).toMatchObject({
      accountDetails: { ...account, accountStatus: "ACTIVE", preferred: true },
    });
    expect(await move("activate")).toMatchObject({ customerStatus: "ACTIVE" });
    expect(await move("deactivate")).toMatchObject({ customerStatus: "INACTIVE" });
    expect(await move("activate")).toMatchObject({ customerStatus: "ACTIVE" });
    expect(await move("unlink")).toMatchObject({ accountDetails: { accountStatus: "INACTIVE" } });
    const events = await one.list("/sandbox/events", token);
    expect(events.map(({ type }) => String(type)).toSorted()).toEqual([
      "account.deactivated",
      "account.linked",
      "customer.activated",
      "customer.activated",
      "customer.created",
      "customer.deactivated",
    ]);
    const read = await one.call("GET", `/v1/customers/${id}`, { token });
    expect(read).toMatchObject({ status: 200, body: { customerStatus: "ACTIVE" } });
  });

  it("needs no member, and is refused with every wrong member and the accepted form", async () => {
    const one = await open();
    expect(await one.post("/sandbox/customers")).toMatchObject({ status: 201 });
    const wrong = { firstName: "", email: "nobody", nickname: "Z", "a/b~c": 1 };
    const refused = await one.post("/sandbox/customers", wrong);
    expect(refusal(refused)).toBe(
      "400 INVALID_REQUEST, /a~1b~0c UNKNOWN_MEMBER, /email INVALID_VALUE, /firstName INVALID_VALUE, /nickname UNKNOWN_MEMBER",
    );
    expect(refused.text).toMatch(/1 to 255 characters.*1 to 254 characters, as local@domain/);
    const link = `/sandbox/customers/${one.seeded.customers.created}/link`;
    const long = { accountLastFourDigits: "12a4", financialInstitutionName: "x".repeat(256) };
    const digits = await one.post(link, long);
    expect(refusal(digits)).toBe(
      "400 INVALID_REQUEST, /accountLastFourDigits INVALID_VALUE, /financialInstitutionName INVALID_VALUE",
    );
    expect(digits.text).toContain("text of 4 digits");
  });
});
