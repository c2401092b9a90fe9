import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onStores, postgres, sqlite } from "../../../service/test/store/stores.ts";
import { failedWith } from "../fixtures.ts";
import { administered, call, newMerchant, newToken } from "./administered.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const accountDetails = {
  financialInstitutionName: "First Example Bank",
  accountLastFourDigits: "0042",
  accountType: "checking",
};
const ada = {
  id: "cus_ada",
  firstName: "Ada",
  lastName: "Osei",
  email: "ada@example.com",
  customerStatus: "ACTIVE",
  accountDetails,
};
const payment = (key: string, members: object = {}): object => ({
  customerId: "cus_ada",
  amount: { currency: "USD", value: 25 },
  requestKey: key,
  ...members,
});
const lines = (...records: readonly (object | string)[]): string =>
  records.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`).join("");

onStores([sqlite, postgres], ({ create }) => {
  /** A database with one merchant, and what its imports print. */
  async function open() {
    const one = administered(await create());
    const merchant = await newMerchant(one);
    const imported = async (kind: string, text: string, ...more: string[]): Promise<unknown> => {
      const args = [kind, "import", "-", "--merchant", merchant, "--json", ...more];
      return JSON.parse((await one.piped(text, ...args)).out);
    };
    return { ...one, merchant, imported };
  }
  const done = (counts: object): unknown =>
    expect.objectContaining({
      ok: true,
      imported: 0,
      skipped: 0,
      failed: 0,
      errors: [],
      ...counts,
    });

  describe("countersign serve admin customers", () => {
    it("imports customers with their accounts, skips them when the import is repeated, and refuses another merchant's ids", async () => {
      const { imported, merchant, ...one } = await open();
      const { url } = await one.serve();
      const token = await newToken(one, url, merchant);
      const text = lines(ada, "", {
        ...ada,
        id: "cus_new",
        customerStatus: undefined,
        accountDetails: undefined,
      });
      expect(await imported("customers", text)).toEqual(done({ imported: 2 }));
      expect(await imported("customers", text)).toEqual(done({ skipped: 2 }));
      const { body } = await call(url, token, "/v1/customers/cus_ada");
      expect(body).toMatchObject({
        ...ada,
        accountDetails: { ...accountDetails, preferred: true },
      });
      const other = await call(url, token, "/v1/customers/cus_new");
      expect(other.body).toMatchObject({ customerStatus: "CREATED" });
      const elsewhere = ["--merchant", await newMerchant(one)];
      const { status, err } = await one.piped(lines(ada), "customers", "import", "-", ...elsewhere);
      expect([status, err]).toEqual([
        1,
        "line 1: CUSTOMER_ID_TAKEN /id: another customer has this id\n",
      ]);
    });

    it("creates a customer from options, for whom payments can then be created", async () => {
      const { admin, merchant } = await open();
      const own = ["--merchant", merchant];
      const named = ["--first-name", "Ada", "--last-name", "Osei", "--email", "ada@example.com"];
      const account = ["--bank", "Example", "--last-four", "0042", "--account-type", "checking"];
      const created = await admin("customers", "create", ...own, ...named, ...account);
      expect([created.status, created.out]).toEqual([0, expect.stringMatching(/^cus_\S+\n$/)]);
      const pay = ["payments", "create", ...own, "--customer", created.out.trim(), "--amount"];
      expect((await admin(...pay, "25.00")).out).toMatch(/^pay_\S+\n$/);
      const { status, err } = await admin(...pay, "25.001");
      expect(status).toBe(2);
      expect(err).toMatch(
        /^countersign: CS_CLI_ARGUMENT_UNUSABLE: INVALID_AMOUNT \/amount\/value: .+\n.+\n$/,
      );
      const unlinked = (await admin("customers", "create", ...own, ...named)).out.trim();
      const order = ["--customer", unlinked, "--amount", "1"];
      const refused = await admin("payments", "create", ...own, ...order);
      expect([refused.status, refused.err]).toEqual([
        1,
        expect.stringMatching(/^CUSTOMER_NOT_LINKED: /),
      ]);
    });
  });

  describe("countersign serve admin payments import", () => {
    it("imports payments in their state that a running service refunds, and skips repeated lines", async () => {
      const { imported, merchant, ...one } = await open();
      await imported("customers", lines(ada));
      const { url } = await one.serve();
      const token = await newToken(one, url, merchant);
      const settled = { paymentStatus: "SUCCEEDED", settlementDate: "2026-01-05T05:00:00.000Z" };
      const text = lines(
        payment("p1", { paymentId: "pay_1", ...settled }),
        payment("p2", { paymentId: "pay_2", clientReferenceId: "order-2" }),
        payment("p3", { paymentId: "pay_3", paymentStatus: "TERMINAL_FAILED" }),
      );
      expect(await imported("payments", text)).toEqual(done({ imported: 3 }));
      expect(await imported("payments", text)).toEqual(done({ skipped: 3 }));
      const refund = async (paymentId: string): Promise<unknown> => {
        const amount = { currency: "USD", value: 10.5 };
        const order = { paymentId, amount, requestKey: `r-${paymentId}` };
        const { status, body } = await call(url, token, "/v1/refunds", order);
        return [status, body["paymentStatus"]];
      };
      expect(await refund("pay_1")).toEqual([201, "AUTHORIZED"]);
      expect(await refund("pay_2")).toEqual([201, "PENDING"]);
      expect(await refund("pay_3")).toEqual([201, "TERMINAL_FAILED"]);
    });

    it("reports each bad line with its number, code and pointer, writes the others, and exits with 1", async () => {
      const { imported, piped, merchant } = await open();
      await imported(
        "customers",
        lines(ada, { ...ada, id: "cus_bare", accountDetails: undefined }),
      );
      await imported("payments", lines(payment("taken", { paymentId: "pay_taken" })));
      const text = lines(
        payment("good"),
        "{",
        "[]",
        '{"requestKey":1,"customerId":"cus_ada","amount":{"currency":"EUR","value":1.0000000000000000001}}',
        payment("a", { amount: undefined, colour: "red", covered: true }),
        payment("b", { customerId: "cus_none" }),
        payment("c", { customerId: "cus_bare" }),
        payment("taken", { amount: { currency: "USD", value: 26 } }),
        payment("d", { paymentId: "pay_taken" }),
        payment("e", { paymentStatus: "SCHEDULED" }),
        payment("f", { settlementDate: "2026-01-05T05:00:00.000Z" }),
        payment("g", { creationDate: "2999-01-01T00:00:00.000Z" }),
        payment("h", { creationDate: "yesterday" }),
        payment("i", {
          paymentStatus: "SUCCEEDED",
          creationDate: "2026-01-06T05:00:00.000Z",
          settlementDate: "2026-01-05T05:00:00.000Z",
        }),
        payment("last"),
      );
      const expected = [
        "2 JSON_SYNTAX ",
        "3 INVALID_VALUE ",
        "4 INVALID_VALUE /requestKey",
        "4 UNSUPPORTED_CURRENCY /amount/currency",
        "4 INVALID_AMOUNT /amount/value",
        "5 MISSING_MEMBER /amount",
        "5 UNKNOWN_MEMBER /colour",
        "5 UNKNOWN_MEMBER /covered",
        "6 CUSTOMER_NOT_FOUND /customerId",
        "7 CUSTOMER_NOT_LINKED /customerId",
        "8 DUPLICATE_REQUEST_KEY /requestKey",
        "9 PAYMENT_ID_TAKEN /paymentId",
        "10 INVALID_VALUE /paymentStatus",
        "11 CONTRADICTION /settlementDate",
        "12 INVALID_VALUE /creationDate",
        "13 INVALID_VALUE /creationDate",
        "14 INVALID_VALUE /settlementDate",
      ];
      const args = ["payments", "import", "-", "--merchant", merchant];
      const dry = await piped(text, ...args, "--dry-run");
      expect(dry.out).toBe("dry run, nothing is written: imported 2, skipped 0, failed 13\n");
      const { status, out, err } = await piped(text, ...args);
      expect([status, out]).toEqual([1, "imported 2, skipped 0, failed 13\n"]);
      const told = (words: string): string[] =>
        [...words.matchAll(/^line (\d+): (\S+) (\S*): .+$/gm)]
          .map(([, line, code, pointer]) => `${line} ${code} ${pointer}`)
          .toSorted();
      expect(told(err)).toEqual(expected.toSorted());
      expect(told(dry.err)).toEqual(expected.toSorted());
      const again = await imported("payments", lines(payment("good"), "{", payment("last")));
      const errors = [expect.objectContaining({ line: 2, code: "JSON_SYNTAX", pointer: "" })];
      expect(again).toEqual(done({ skipped: 2, failed: 1, errors }));
    });

    it("imports a file of several batches, after a dry run that writes nothing", async () => {
      const { admin, imported, merchant } = await open();
      await imported("customers", lines(ada));
      const file = join(temporaryFolder(), "payments.jsonl");
      const keys = Array.from({ length: 250 }, (_, index) => `p${index}`);
      // Without the last newline.
      writeFileSync(file, lines(...keys.map((key) => payment(key))).trimEnd());
      const args = ["payments", "import", file, "--merchant", merchant];
      const words = "imported 250, skipped 0, failed 0\n";
      expect((await admin(...args, "--dry-run")).out).toBe(`dry run, nothing is written: ${words}`);
      expect((await admin(...args)).out).toBe(words);
      expect((await admin(...args)).out).toBe("imported 0, skipped 250, failed 0\n");
    });
  });

  it("countersign serve admin payments settle and fail move a payment, and are refused if its status does not permit it", async () => {
    const { admin, imported, list, merchant } = await open();
    await imported("customers", lines(ada));
    const records = ["pay_1", "pay_2"].map((id) => payment(id, { paymentId: id }));
    await imported("payments", lines(...records));
    const own = ["--merchant", merchant];
    expect((await admin("payments", "settle", "pay_1", ...own)).out).toBe("pay_1 is SUCCEEDED\n");
    const failed = "pay_2 is TERMINAL_FAILED\n";
    expect((await admin("payments", "fail", "pay_2", ...own)).out).toBe(failed);
    for (const [args, code] of [
      [["settle", "pay_2", ...own], "INVALID_TRANSITION"],
      [["settle", "pay_none", ...own], "PAYMENT_NOT_FOUND"],
      [["fail", "pay_1", "--merchant", "mer_none"], "MERCHANT_NOT_FOUND"],
    ] as const) {
      const { status, err } = await admin("payments", ...args);
      expect([args, status, err.split(":")[0]]).toEqual([args, 1, code]);
    }
    const trail = (await list("trail")).map(({ what, subject }) => [what, subject].join(" "));
    const moves = ["payment.settle pay_1", "payment.fail pay_2"];
    const made = ["customer.create cus_ada", "payment.create pay_1", "payment.create pay_2"];
    expect(trail).toEqual(expect.arrayContaining([...made, ...moves]));
    expect(trail).not.toContain("payment.settle pay_2");
  });
});

it("countersign serve admin payments import exits with 2 for a file that cannot be read, and with 1 for an unknown merchant", async () => {
  const one = administered(join(temporaryFolder(), "service.db"));
  const args = ["payments", "import", "/no/such/file", "--merchant", await newMerchant(one)];
  expect(await one.admin(...args)).toEqual(failedWith("ARGUMENT_UNUSABLE"));
  const unknown = await one.admin("payments", "import", "-", "--merchant", "mer_none");
  expect([unknown.status, unknown.err]).toEqual([1, "MERCHANT_NOT_FOUND: merchant not found\n"]);
});
