import { afterAll, describe, expect, it } from "vitest";
import { newPayment } from "../payments.ts";
import { refusal, validated } from "../validated.ts";
import { watchRefusals } from "../watch-refusals.ts";

const openService = watchRefusals();

let next = 0;

/** A body of a refund request, member by member as text, so that every spelling can be sent. */
function bodyText(members: Record<string, string | undefined>): string {
  const all = {
    paymentId: '"unset"',
    amount: '{"currency":"USD","value":1}',
    requestKey: `"key-${next++}"`,
    ...members,
  };
  const written = Object.entries(all).filter(([, text]) => text !== undefined);
  return `{${written.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}
const amount = (value: string, currency = "USD"): string =>
  `{"currency":"${currency}","value":${value}}`;

// One service for all: what is refused leaves nothing behind that another test could meet.
const { service, merchant, call } = await openService({ atEnd: afterAll });

describe("a refund request whose amount is", () => {
  it.each([
    ["1.001", "INVALID_AMOUNT"],
    ["1.100", "INVALID_AMOUNT"],
    ["0.1000000000000000055", "INVALID_AMOUNT"],
    ["1.0000000000000001", "INVALID_AMOUNT"],
    ['"1.00"', "INVALID_AMOUNT"],
    ["0", "INVALID_AMOUNT"],
    ["0.00", "INVALID_AMOUNT"],
    ["-0", "INVALID_AMOUNT"],
    ["-1", "INVALID_AMOUNT"],
    ["1e2", "INVALID_AMOUNT"],
    ["1E+2", "INVALID_AMOUNT"],
    ["1e-400", "INVALID_AMOUNT"],
    ["100000000", "INVALID_AMOUNT"],
    ["99999999.999", "INVALID_AMOUNT"],
    ["null", "INVALID_AMOUNT"],
    ["true", "INVALID_AMOUNT"],
    ["[1]", "INVALID_AMOUNT"],
  ])("T-14 T-15 %s is refused with 400 %s and stores nothing", async (value, code) => {
    const paymentId = await newPayment(service, merchant);
    const before = await refunds();
    const text = bodyText({ paymentId: `"${paymentId}"`, amount: amount(value) });
    const answer = await call("POST", "/v1/refunds", { text });
    expect(refusal(answer)).toEqual({ status: 400, code, members: { "/amount/value": code } });
    expect(await refunds()).toBe(before);
  });

  it.each(["01.00", ".5", "5.", "+1", "NaN", "1_0"])(
    "T-14 %s, which is no JSON, is refused with 400 and stores nothing",
    async (value) => {
      const before = await refunds();
      const answer = await call("POST", "/v1/refunds", {
        text: bodyText({ amount: amount(value) }),
      });
      expect(refusal(answer)).toEqual({
        status: 400,
        code: "INVALID_REQUEST",
        members: { "": "JSON_SYNTAX" },
      });
      expect(await refunds()).toBe(before);
    },
  );

  it("of another currency is refused with UNSUPPORTED_CURRENCY", async () => {
    const answer = await call("POST", "/v1/refunds", {
      text: bodyText({ amount: amount("1", "EUR") }),
    });
    expect(refusal(answer)).toEqual({
      status: 400,
      code: "UNSUPPORTED_CURRENCY",
      members: { "/amount/currency": "UNSUPPORTED_CURRENCY" },
    });
  });

  it.each(["10", "10.5", "10.50", "0.01", "99999999.99"])("T-14 %s is taken", async (value) => {
    const paymentId = await newPayment(service, merchant, { cents: 9_999_999_999n });
    const text = bodyText({ paymentId: `"${paymentId}"`, amount: amount(value) });
    expect((await call("POST", "/v1/refunds", { text })).status).toBe(201);
  });
});

describe("a refund request", () => {
  it.each([
    ["the body is broken off", '{"paymentId":"p"', "JSON_SYNTAX"],
    ["T-31 a member comes twice", '{"requestKey":"a","requestKey":"b"}', "JSON_DUPLICATE_MEMBER"],
    ["T-31 also in an escaped spelling", '{"a":1,"\\u0061":2}', "JSON_DUPLICATE_MEMBER"],
    ["a member is called __proto__", '{"__proto__":{}}', "JSON_FORBIDDEN_MEMBER"],
    ["it is nested too deeply", `${"[".repeat(17)}${"]".repeat(17)}`, "JSON_DEPTH"],
    ["the body is empty", "", "JSON_EMPTY"],
    ["it begins with a byte order mark", "\u{feff}{}", "JSON_BOM"],
  ])("is refused with 400 where %s", async (_, text, code) => {
    expect(refusal(await call("POST", "/v1/refunds", { text }))).toEqual({
      status: 400,
      code: "INVALID_REQUEST",
      members: { "": code },
    });
  });

  it("is refused with 400 where its bytes are no UTF-8", async () => {
    const text = Buffer.from([0x22, 0xff, 0x22]);
    expect(refusal(await call("POST", "/v1/refunds", { text }))).toMatchObject({
      status: 400,
      members: { "": "JSON_ENCODING" },
    });
  });

  it("is told everything that is wrong with it at once", async () => {
    const json = { amount: { currency: "EUR", value: 0 }, softDescriptor: "line\nbreak", memo: 1 };
    expect(refusal(await call("POST", "/v1/refunds", { json }))).toEqual({
      status: 400,
      code: "INVALID_REQUEST",
      members: {
        "/paymentId": "MISSING_MEMBER",
        "/requestKey": "MISSING_MEMBER",
        "/memo": "UNKNOWN_MEMBER",
        "/amount/currency": "UNSUPPORTED_CURRENCY",
        "/amount/value": "INVALID_AMOUNT",
        "/softDescriptor": "INVALID_SOFT_DESCRIPTOR",
      },
    });
  });

  it.each(["null", "[]", '"text"', "1"])(
    "is refused with 400 where its body is %s",
    async (text) => {
      expect(refusal(await call("POST", "/v1/refunds", { text }))).toMatchObject({ status: 400 });
    },
  );

  it("never tells more than 100 faults", async () => {
    const names = Array.from({ length: 300 }, (_, i) => [`${"x".repeat(100)}${i}`, 1]);
    const json = Object.fromEntries(names) as object;
    const problem = validated("problem", await call("POST", "/v1/refunds", { json }));
    expect(problem.errors).toHaveLength(100);
  });

  it("is told of an unknown name that is too long by its beginning", async () => {
    const json = { ["y".repeat(20_000)]: 1 };
    const problem = validated("problem", await call("POST", "/v1/refunds", { json }));
    const lengths = problem.errors?.map(({ pointer }) => pointer.length) ?? [];
    expect(Math.max(...lengths)).toBe(2048);
  });

  it.each([
    ["T-13 81 characters", `"${"x".repeat(81)}"`],
    ["T-13 a line break", '"a\\nb"'],
    ["T-13 an emoji", '"😀"'],
    ["T-13 nothing", '""'],
    ["T-13 a full stop", '"a.b"'],
  ])("is refused where the softDescriptor is %s", async (_, softDescriptor) => {
    const answer = await call("POST", "/v1/refunds", { text: bodyText({ softDescriptor }) });
    expect(refusal(answer)).toMatchObject({ status: 400, code: "INVALID_SOFT_DESCRIPTOR" });
  });

  it.each([
    ["requestKey", '""'],
    ["requestKey", `"${"k".repeat(256)}"`],
    ["requestKey", '"é"'],
    ["requestKey", "7"],
    ["paymentId", '"a b"'],
    ["paymentId", `"${"p".repeat(65)}"`],
    ["clientReferenceId", '""'],
    ["clientReferenceId", '"a\\u0000b"'],
    ["clientReferenceId", `"${"r".repeat(256)}"`],
    ["clientReferenceId", "null"],
  ])("is refused where %s is %s", async (member, value) => {
    const answer = await call("POST", "/v1/refunds", { text: bodyText({ [member]: value }) });
    expect(refusal(answer)).toEqual({
      status: 400,
      code: "INVALID_REQUEST",
      members: { [`/${member}`]: "INVALID_VALUE" },
    });
  });

  it("leaves its key free where it is refused, so that the corrected one is taken (T-03)", async () => {
    const paymentId = await newPayment(service, merchant, { cents: 500n });
    const send = (value: string): Promise<number> =>
      call("POST", "/v1/refunds", {
        text: bodyText({
          paymentId: `"${paymentId}"`,
          amount: amount(value),
          requestKey: '"free"',
        }),
      }).then(({ status }) => status);
    expect(await send("0")).toBe(400);
    expect(await send("5.01")).toBe(422);
    expect(await send("5.00")).toBe(201);
    expect(await send("5.00")).toBe(409);
  });
});

/** How many refunds are stored. */
async function refunds(): Promise<number> {
  const rows = await service.driver.query("SELECT id FROM payments WHERE direction = 'CREDIT'");
  return rows.length;
}
