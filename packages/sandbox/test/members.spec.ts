import { describe, expect, it } from "vitest";
import { openSandbox } from "./open-sandbox.ts";

describe("a member of a control that is not of its form", () => {
  it("is told its form in words", async () => {
    const one = await openSandbox();
    const told = async (path: string, json: object): Promise<unknown> => {
      const { status, body } = await one.call("POST", path, { json });
      expect(status).toBe(400);
      return body["errors"];
    };
    const code = "INVALID_VALUE";
    expect(await told("/sandbox/customers", { firstName: "", email: "nobody" })).toEqual([
      { pointer: "/firstName", code, message: "must be text of 1 to 255 characters" },
      { pointer: "/email", code, message: "must be text of 1 to 254 characters, as local@domain" },
    ]);
    const link = `/sandbox/customers/${one.opened.seeded?.customers.created}/link`;
    expect(await told(link, { accountLastFourDigits: "12a4" })).toEqual([
      { pointer: "/accountLastFourDigits", code, message: "must be text of 4 digits" },
    ]);
  });
});
