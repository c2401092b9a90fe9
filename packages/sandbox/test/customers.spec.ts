import { describe, expect, it } from "vitest";
import { openSandbox, refusal } from "./open-sandbox.ts";

describe("a customer of the sandbox", () => {
  it("is CREATED, linked, activated, deactivated and activated again, each with its event (S 3.2)", async () => {
    const one = await openSandbox();
    const token = await one.addNamespace();
    const call = (path: string, json?: object) =>
      one.call("POST", path, { token, ...(json && { json }) });
    const made = await call("/sandbox/customers", {
      firstName: "Zoë",
      lastName: "Sample",
      email: "z@example.test",
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        firstName: "Zoë",
        lastName: "Sample",
        email: "z@example.test",
        customerStatus: "CREATED",
      },
    });
    expect(made.body).not.toHaveProperty("accountDetails");
    const path = `/sandbox/customers/${String(made.body["id"])}`;
    expect(
      (await call(`${path}/link`, { accountLastFourDigits: "0042", accountType: "savings" })).body,
    ).toMatchObject({
      accountDetails: {
        accountLastFourDigits: "0042",
        accountType: "savings",
        accountStatus: "ACTIVE",
        preferred: true,
      },
    });
    expect((await call(`${path}/activate`)).body).toMatchObject({ customerStatus: "ACTIVE" });
    expect((await call(`${path}/deactivate`)).body).toMatchObject({ customerStatus: "INACTIVE" });
    expect((await call(`${path}/activate`)).body).toMatchObject({ customerStatus: "ACTIVE" });
    expect((await call(`${path}/unlink`)).body).toMatchObject({
      accountDetails: { accountStatus: "INACTIVE" },
    });
    const events = await one.list("/sandbox/events", { token });
    expect(events.map(({ type }) => String(type)).toSorted()).toEqual([
      "account.deactivated",
      "account.linked",
      "customer.activated",
      "customer.activated",
      "customer.created",
      "customer.deactivated",
    ]);
    const read = await one.call("GET", `/v1/customers/${String(made.body["id"])}`, { token });
    expect(read).toMatchObject({ status: 200, body: { customerStatus: "ACTIVE" } });
  });

  it("can be made without any member", async () => {
    const one = await openSandbox();
    expect(await one.call("POST", "/sandbox/customers")).toMatchObject({ status: 201 });
  });

  it("is refused with every wrong member at once", async () => {
    const one = await openSandbox();
    const json = { firstName: "", email: "nobody", nickname: "Z", "a/b~c": 1 };
    expect(refusal(await one.call("POST", "/sandbox/customers", { json }))).toEqual({
      status: 400,
      code: "INVALID_REQUEST",
      members: {
        "/firstName": "INVALID_VALUE",
        "/email": "INVALID_VALUE",
        "/nickname": "UNKNOWN_MEMBER",
        "/a~1b~0c": "UNKNOWN_MEMBER",
      },
    });
    expect(refusal(await one.call("POST", "/sandbox/customers", { json: [] }))).toMatchObject({
      members: { "": "INVALID_VALUE" },
    });
    const twice = await one.call("POST", "/sandbox/customers", {
      text: '{"email":"a@b.c","email":"c@b.a"}',
    });
    expect(refusal(twice)).toMatchObject({ status: 400 });
  });

  it("is refused a move that its status does not admit, and one that is not there any move", async () => {
    const one = await openSandbox();
    const { created } = one.opened.seeded?.customers ?? {};
    for (const move of ["link", "unlink", "activate", "deactivate"]) {
      const answer = await one.call("POST", `/sandbox/customers/cus_none/${move}`);
      expect([move, refusal(answer)]).toEqual([move, { status: 404, code: "CUSTOMER_NOT_FOUND" }]);
    }
    expect(refusal(await one.call("POST", `/sandbox/customers/${created}/unlink`))).toEqual({
      status: 422,
      code: "CUSTOMER_NOT_LINKED",
    });
  });
});
