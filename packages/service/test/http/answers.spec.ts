import { profiles, type Profile } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { openService, type TestService } from "../open-service.ts";
import { refusal, validated } from "../validated.ts";
import { createCustomer, linkAccount } from "../../src/use-cases/customers.ts";

type Deprecated = NonNullable<Profile["deprecation"]["deprecated"]>;
const { standard } = profiles;

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

describe("a body that does not fit its schema", () => {
  it("is answered with 500, logged and counted when answers are checked, and as it is otherwise", async () => {
    for (const checksAnswers of [true, false]) {
      const { service, context, lines, merchant, call } = await openService({ checksAnswers });
      const person = { firstName: "x".repeat(300), lastName: "Li", email: "bo@example.com" };
      const { id } = await createCustomer(context, merchant, person);
      const answer = await call("GET", `/v1/customers/${id}`);
      const isCounted = /countersign_defective_answers_total 1/.test(await service.metrics.text());
      expect([answer.status, isCounted]).toEqual(checksAnswers ? [500, true] : [200, false]);
      if (!checksAnswers) continue;
      expect(refusal(answer)).toEqual({ status: 500, code: "INTERNAL_SERVER_ERROR" });
      expect(lines.flatMap(({ defect }) => defect ?? [])).toEqual([
        "customer: /firstName maxLength",
      ]);
      expect(JSON.stringify(lines) + answer.text).not.toContain("xxx");
    }
  });
});

describe("[P-VERSION-SUNSET] a path that the profile deprecates", () => {
  const openWith = (...deprecated: Deprecated): Promise<TestService> =>
    openService({
      profile: { ...standard, deprecation: { ...standard.deprecation, deprecated } },
    });

  it("is announced in each of its answers with its end and its replacement; other paths are not", async () => {
    const link = "https://docs.example/v2";
    const { call } = await openWith(
      { path: "/v1", since: "2026-01-01" },
      { path: "/v1/webhook", since: "2026-11-01", sunset: "2027-11-01", link },
    );
    // RFC 9745, section 2.1; RFC 8594, section 3.
    const fields = {
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
    const parent = await call("GET", "/v1/customers/c");
    expect(parent.headers["deprecation"]).toBe("@1767225600");
    expect(parent.headers).not.toHaveProperty("sunset");
    for (const path of ["/v1webhook", "/healthz"])
      expect((await call("GET", path)).headers).not.toHaveProperty("deprecation");
  });

  it("is refused at the start when its dates or its path are invalid, or its notice too short", async () => {
    for (const deprecated of [
      { path: "/v1", since: "2026-11-01", sunset: "2027-10-31" },
      { path: "/v1", since: "2026-02-30" },
      { path: "/v1", since: "2026-11-01", sunset: "2028-13-01" },
      { path: "v1", since: "2026-11-01" },
    ])
      await expect(openWith(deprecated)).rejects.toThrow(TypeError);
  });
});
