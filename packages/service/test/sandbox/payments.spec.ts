import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import {
  openSandbox,
  shareSandbox,
  refusal,
  usd,
  type Body,
  type TestSandbox,
} from "./open-sandbox.ts";

const open = shareSandbox();

/** Asks for a payment whose amount is this text. */
const pay = (one: TestSandbox, amount: string, more = "") => {
  const text = `{"customerId":"${one.seeded.customers.active}","amount":${amount}${more}}`;
  return one.call("POST", "/sandbox/payments", { text });
};
describe("a payment of the sandbox", () => {
  it("[P-PRECONDITION-LINKED] is refused a malformed amount or key, and a customer that is missing or not linked", async () => {
    const one = await open();
    const unnamed = await one.post("/sandbox/payments", { amount: usd(1) });
    expect(refusal(unnamed)).toBe("400 INVALID_REQUEST, /customerId MISSING_MEMBER");
    const unlinked = { customerId: one.seeded.customers.created, amount: usd(1) };
    const posted = await one.post("/sandbox/payments", unlinked);
    expect(refusal(posted)).toBe("422 CUSTOMER_NOT_LINKED");
    const keyed = (length: number) =>
      pay(one, '{"currency":"USD","value":1}', `,"requestKey":"${"k".repeat(length)}"`);
    expect([(await keyed(255)).status, (await keyed(256)).status]).toEqual([201, 400]);
    expect(refusal(await keyed(255))).toBe("409 DUPLICATE_REQUEST_KEY");
    const wrong = "/amount/value INVALID_AMOUNT";
    const missing = "/amount/currency MISSING_MEMBER, /amount/value MISSING_MEMBER";
    for (const [amount, members] of [
      ['{"currency":"USD","value":1.005}', wrong],
      ['{"currency":"USD","value":1e2}', wrong],
      ['{"currency":"USD","value":0}', wrong],
      ['{"currency":"USD","value":"1"}', wrong],
      ['{"currency":"EUR","value":1}', "/amount/currency UNSUPPORTED_CURRENCY"],
      ["{}", missing],
    ] as const)
      expect([amount, refusal(await pay(one, amount))]).toEqual([
        amount,
        expect.stringMatching(new RegExp(`^400 \\w+, ${members}$`)),
      ]);
  });

  it("T-15 accepts the amounts of the profile up to its bounds, not a cent beyond, and answers with two digits", async () => {
    const { standard } = profiles;
    const amount = { minimumCents: 100, maximumCents: 500_000 };
    const one = await openSandbox({ profile: { ...standard, amount } });
    const values = ["0.99", "1", "5000.00", "5000.01"];
    const made = values.map((value) => pay(one, `{"currency":"USD","value":${value}}`));
    const statuses = (await Promise.all(made)).map(({ status }) => status);
    expect(statuses).toEqual([400, 201, 201, 400]);
    expect((await made[1])?.text).toContain('"value":1.00');
  });

  it("is listed in pages, the newest first, by its status and by a part of its key", async () => {
    const one = await open();
    const { settled, recent, processing, failed } = one.seeded.payments;
    const listed = async (query: string) => {
      const { body } = await one.call("GET", `/sandbox/payments?${query}`);
      return [(body["payments"] as Body[]).map(({ paymentId }) => paymentId), body["count"]];
    };
    expect(await listed("limit=2")).toEqual([[failed, processing], 4]);
    expect(await listed(`limit=2&before=${processing}`)).toEqual([[recent, settled], 4]);
    expect(await listed("status=SUCCEEDED&limit=1")).toEqual([[recent], 2]);
    expect(await listed(`q=${settled.slice(4)}`)).toEqual([[settled], 1]);
    // A text with the wildcards of LIKE.
    expect(await listed("q=%25")).toEqual([[], 0]);
  });
});
