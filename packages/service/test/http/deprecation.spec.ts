import { profiles, type Profile } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { openService, type TestService } from "../open-service.ts";

type Deprecated = NonNullable<Profile["deprecation"]["deprecated"]>;

const { standard } = profiles;

const openWith = (...deprecated: Deprecated): Promise<TestService> =>
  openService({
    profile: { ...standard, deprecation: { ...standard.deprecation, deprecated } },
  });

describe("[P-VERSION-SUNSET] a path that the profile deprecates", () => {
  it("says so in each answer, with its end and with what to do instead", async () => {
    const { call } = await openWith({
      path: "/v1/webhook",
      since: "2026-11-01",
      sunset: "2027-11-01",
      link: "https://docs.example/v2",
    });
    const fields = {
      // RFC 9745, section 2.1; RFC 8594, section 3.
      deprecation: "@1793491200",
      sunset: "Mon, 01 Nov 2027 00:00:00 GMT",
      link: '<https://docs.example/v2>; rel="deprecation"; type="text/html"',
    };
    const answers = [
      await call("POST", "/v1/webhook/subscribe", { json: {} }),
      await call("PUT", "/v1/webhook/unsubscribe/sub_1", { json: {} }),
      await call("GET", "/v1/webhook/subscribe"),
      await call("POST", "/v1/webhook/subscribe", { token: null }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 405, 401]);
    for (const { headers } of answers) expect(headers).toMatchObject(fields);
    for (const path of ["/v1/customers/c", "/v1/webhooks", "/healthz"]) {
      const { headers } = await call("GET", path);
      expect(headers).not.toHaveProperty("deprecation");
      expect(headers).not.toHaveProperty("sunset");
    }
  });

  it("says of itself what its own entry says, before what its parent's does", async () => {
    const { call } = await openWith(
      { path: "/v1", since: "2026-01-01" },
      { path: "/v1/refunds", since: "2026-02-01" },
    );
    const refunds = await call("POST", "/v1/refunds", { json: {} });
    expect(refunds.headers["deprecation"]).toBe("@1769904000");
    expect(refunds.headers).not.toHaveProperty("sunset");
    const customers = await call("GET", "/v1/customers/c");
    expect(customers.headers["deprecation"]).toBe("@1767225600");
  });

  it("is none in the built-in profiles", async () => {
    const { call } = await openService();
    const { headers } = await call("GET", "/v1/customers/c");
    expect(headers).not.toHaveProperty("deprecation");
  });

  it.each<[string, Deprecated[number]]>([
    ["ends before the notice is over", { path: "/v1", since: "2026-11-01", sunset: "2027-10-31" }],
    ["begins on no date", { path: "/v1", since: "2026-02-30" }],
    ["ends on no date", { path: "/v1", since: "2026-11-01", sunset: "2028-13-01" }],
    ["is no path", { path: "v1", since: "2026-11-01" }],
  ])("is refused at the start where it %s", async (_, deprecated) => {
    await expect(openWith(deprecated)).rejects.toThrow(TypeError);
  });
});
