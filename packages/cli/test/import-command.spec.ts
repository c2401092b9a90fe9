import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { postgresDriver, sqliteDriver } from "@countersign/service";
import { describe, expect, it } from "vitest";
import { inCi, onStores, postgres, sqlite } from "../../service/test/store/stores.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { failedWith } from "./fixtures.ts";
import { call, client, merchant, serviceData, tokenOf, type ServiceData } from "./service-data.ts";

const accountDetails = {
  financialInstitutionName: "First Example Bank",
  accountLastFourDigits: "0042",
  accountType: "checking",
};
const person = { firstName: "Ada", lastName: "Osei", email: "ada@example.com" };
const customer = {
  kind: "customer",
  merchantId: "mer_1",
  id: "cus_1",
  ...person,
  customerStatus: "ACTIVE",
  accountDetails,
};
const bare = { kind: "customer", merchantId: "mer_1", id: "cus_bare", ...person };
const payment = (requestKey: string, members: object = {}): object => ({
  kind: "payment",
  merchantId: "mer_1",
  customerId: "cus_1",
  amount: { currency: "USD", value: 25 },
  requestKey,
  ...members,
});

interface Counts {
  readonly created?: number;
  readonly changed?: number;
  readonly unchanged?: number;
}
const done = ({ created = 0, changed = 0, unchanged = 0 }: Counts, words = "imported"): string =>
  `${words}: ${created} created, ${changed} changed, ${unchanged} unchanged\n`;
/** Each error as `LINE CODE POINTER`. */
const errorsOf = (err: string): string[] =>
  [...err.matchAll(/^line (\d+): (\S+) (\S*): .+$/gm)].map((match) => match.slice(1).join(" "));

onStores([sqlite, inCi(postgres)], ({ create }) => {
  /** An empty database, and the contents of its tables. */
  async function open() {
    const address = await create();
    const isPostgres = address.startsWith("postgres");
    const stored = async (table: string): Promise<Record<string, unknown>[]> => {
      const driver = isPostgres ? postgresDriver({ url: address }) : sqliteDriver(address);
      const rows = await driver.query(`SELECT * FROM ${table} ORDER BY seq`);
      await driver.close();
      return rows;
    };
    return { ...serviceData(address), isPostgres, stored };
  }

  /** Runs `use` while the service runs. */
  async function served(data: ServiceData, use: (url: string) => Promise<void>): Promise<void> {
    const { url, end } = await data.serve();
    await use(url);
    expect(await end()).toBe(0);
  }

  describe("countersign serve import", () => {
    it("creates merchants, clients, customers and payments that a service then works on, and leaves them on a second import", async () => {
      const data = await open();
      const settled = { paymentStatus: "SUCCEEDED", settlementDate: "2026-01-05T05:00:00.000Z" };
      const lines = [
        merchant,
        client,
        customer,
        "",
        bare,
        payment("p1", { paymentId: "pay_1", ...settled }),
        payment("p2", { paymentId: "pay_2", clientReferenceId: "order-2" }),
        payment("p3", { paymentId: "pay_3", paymentStatus: "TERMINAL_FAILED" }),
      ];
      const { status, out, err } = await data.imported(lines);
      expect([status, out]).toEqual([0, expect.stringMatching(/^cli_1:css_\S{43}\n$/)]);
      expect(err).toBe(
        `A client's secret is shown only once; copy it now.\n${done({ created: 7 })}`,
      );
      await served(data, async (url) => {
        const token = await tokenOf(url, out.trim());
        const { body } = await call(url, token, "/v1/customers/cus_1");
        expect(body).toMatchObject({ ...person, accountDetails, customerStatus: "ACTIVE" });
        const unlinked = await call(url, token, "/v1/customers/cus_bare");
        expect(unlinked.body).toMatchObject({ customerStatus: "CREATED" });
        const refund = async (paymentId: string): Promise<unknown> => {
          const amount = { currency: "USD", value: 10.5 };
          const order = { paymentId, amount, requestKey: `r-${paymentId}` };
          return (await call(url, token, "/v1/refunds", order)).body["paymentStatus"];
        };
        expect(await refund("pay_1")).toBe("AUTHORIZED");
        expect(await refund("pay_2")).toBe("PENDING");
        expect(await refund("pay_3")).toBe("TERMINAL_FAILED");
      });
      expect(JSON.stringify(await data.stored("clients"))).not.toContain(out.trim().slice(6));
      const again = await data.imported(lines);
      expect(again).toEqual({ status: 0, out: "", err: done({ unchanged: 7 }) });
    });

    it("gives a client a new secret when its secretVersion rises, and accepts at most the last two", async () => {
      const data = await open();
      const rotated = async (...versions: readonly object[]): Promise<string> => {
        const lines = versions.map((members) => ({ ...client, ...members }));
        return (await data.imported(lines)).out.trim();
      };
      await data.imported([merchant]);
      const [first, second] = [await rotated({}), await rotated({ secretVersion: 2 })];
      const third = await rotated({ secretVersion: 5 });
      const statuses = async (url: string, ...secrets: string[]): Promise<boolean[]> =>
        Promise.all(secrets.map(async (one) => (await tokenOf(url, one)) !== ""));
      await served(data, async (url) => {
        expect(await statuses(url, first, second, third)).toEqual([false, true, true]);
      });
      // Neither an earlier version nor the present one.
      expect(await rotated({}, { secretVersion: 2 }, { secretVersion: 5 })).toBe("");
      const fourth = await rotated({ secretVersion: 6, overlapHours: 0 });
      await served(data, async (url) => {
        expect(await statuses(url, second, third, fourth)).toEqual([false, false, true]);
      });
    });

    it("refuses the secrets and tokens of a disabled client for good, also when all its lines are imported again", async () => {
      const data = await open();
      const { out } = await data.imported([merchant, client]);
      let token = "";
      await served(data, async (url) => {
        token = await tokenOf(url, out.trim());
        expect((await call(url, token)).status).toBe(404);
      });
      const history = [merchant, client, { ...client, disabled: true }];
      expect((await data.imported(history)).err).toBe(done({ changed: 1, unchanged: 2 }));
      expect((await data.imported(history)).err).toBe(done({ unchanged: 3 }));
      await served(data, async (url) => {
        expect((await call(url, token)).status).toBe(401);
        expect(await tokenOf(url, out.trim())).toBe("");
      });
      const { status, err } = await data.imported([{ ...client, secretVersion: 2 }]);
      expect([status, errorsOf(err)]).toEqual([1, ["1 CLIENT_DISABLED /secretVersion"]]);
    });

    it("limits a client's tokens to its scopes", async () => {
      const data = await open();
      const { out } = await data.imported([merchant, { ...client, scopes: ["payments"] }]);
      await served(data, async (url) => {
        const token = await tokenOf(url, out.trim());
        expect((await call(url, token)).status).toBe(403);
        expect((await call(url, token, "/v1/refunds", {})).status).toBe(400);
      });
    });

    it("changes a merchant's name and the status of customers and payments, and links a first account", async () => {
      const data = await open();
      await data.imported([merchant, customer, bare, payment("p1"), payment("p2")]);
      const { status, err } = await data.imported([
        { ...merchant, name: "Example plc" },
        { ...customer, customerStatus: "INACTIVE" },
        { ...bare, accountDetails, customerStatus: "INACTIVE" },
        payment("p1", { paymentStatus: "SUCCEEDED" }),
        payment("p2", { paymentStatus: "CANCELED" }),
      ]);
      expect([status, err]).toEqual([0, done({ changed: 5 })]);
      expect(await data.stored("merchants")).toMatchObject([{ name: "Example plc" }]);
      const statuses = async (table: string): Promise<unknown[]> =>
        (await data.stored(table)).map((row) => row["status"]);
      expect(await statuses("customers")).toEqual(["INACTIVE", "INACTIVE"]);
      expect(await statuses("payments")).toEqual(["SUCCEEDED", "CANCELED"]);
      expect(await statuses("accounts")).toHaveLength(2);
    });

    it("reports each invalid line with its number, code and pointer, exits with 1, and imports none of the others", async () => {
      const data = await open();
      await data.imported([merchant, customer]);
      const lines = [
        payment("good"),
        "{",
        "[]",
        '{"kind":"payment","merchantId":"mer_1","requestKey":1,"customerId":"cus_1","amount":{"currency":"EUR","value":1.0000000000000000001}}',
        payment("a", { amount: undefined, colour: "red", covered: true }),
        { ...client, scopes: ["payments", "all"], secretVersion: 0 },
        { ...merchant, kind: "seller" },
        { ...customer, id: "a b", accountDetails: null },
        payment("e", { paymentStatus: "SCHEDULED" }),
        payment("f", { settlementDate: "2026-01-05T05:00:00.000Z" }),
        payment("g", { creationDate: "2999-01-01T00:00:00.000Z" }),
        payment("h", { creationDate: "yesterday" }),
      ];
      const expected = [
        "2 JSON_SYNTAX ",
        "3 INVALID_VALUE ",
        "4 INVALID_VALUE /requestKey",
        "4 UNSUPPORTED_CURRENCY /amount/currency",
        "4 INVALID_AMOUNT /amount/value",
        "5 MISSING_MEMBER /amount",
        "5 UNKNOWN_MEMBER /colour",
        "5 UNKNOWN_MEMBER /covered",
        "6 INVALID_VALUE /scopes/1",
        "6 INVALID_VALUE /secretVersion",
        "7 INVALID_VALUE /kind",
        "8 INVALID_VALUE /id",
        "8 INVALID_VALUE /accountDetails",
        "9 INVALID_VALUE /paymentStatus",
        "10 CONTRADICTION /settlementDate",
        "11 INVALID_VALUE /creationDate",
        "12 INVALID_VALUE /creationDate",
      ];
      const { status, out, err } = await data.imported(lines);
      expect([status, out]).toEqual([1, ""]);
      expect(err).toMatch(/\nnothing imported\n$/);
      expect(errorsOf(err).toSorted()).toEqual(expected.toSorted());
      expect(await data.stored("payments")).toEqual([]);
      const json = await data.imported(["{"], "--json");
      expect([json.status, json.err, JSON.parse(json.out)]).toEqual([
        1,
        "",
        {
          ok: false,
          dryRun: false,
          errors: [
            { line: 1, code: "JSON_SYNTAX", pointer: "", message: expect.any(String) as unknown },
          ],
        },
      ]);
    });

    it("reports each line that contradicts a stored record, exits with 1, and imports none of the others", async () => {
      const data = await open();
      const settled = { paymentStatus: "SUCCEEDED", settlementDate: "2026-01-05T05:00:00.000Z" };
      const other = { ...merchant, id: "mer_2" };
      const stored = [
        merchant,
        other,
        client,
        customer,
        bare,
        payment("p1", { paymentId: "pay_1", ...settled }),
      ];
      await data.imported(stored);
      const lines = [
        { ...merchant, id: "mer_3" },
        { ...client, merchantId: "mer_none" },
        { ...client, merchantId: "mer_2" },
        { ...client, scopes: ["core"] },
        { ...customer, merchantId: "mer_2" },
        { ...customer, email: "bo@example.com" },
        { ...customer, accountDetails: { ...accountDetails, accountLastFourDigits: "0043" } },
        { ...customer, customerStatus: "CREATED" },
        payment("p1", { amount: { currency: "USD", value: 26 } }),
        payment("p1", { paymentStatus: "CREATED" }),
        payment("p1", { ...settled, settlementDate: "2026-01-06T05:00:00.000Z" }),
        payment("p2", { paymentId: "pay_1" }),
        payment("p2", { customerId: "cus_none" }),
        payment("p2", { customerId: "cus_bare" }),
        payment("p2", { ...settled, creationDate: "2026-01-06T05:00:00.000Z" }),
      ];
      const expected = [
        "2 MERCHANT_NOT_FOUND /merchantId",
        "3 CLIENT_ID_TAKEN /id",
        "4 RECORD_DIFFERS /scopes",
        "5 CUSTOMER_ID_TAKEN /id",
        "6 RECORD_DIFFERS /email",
        "7 RECORD_DIFFERS /accountDetails",
        "8 INVALID_TRANSITION /customerStatus",
        "9 DUPLICATE_REQUEST_KEY /requestKey",
        "10 INVALID_TRANSITION /paymentStatus",
        "11 RECORD_DIFFERS /settlementDate",
        "12 PAYMENT_ID_TAKEN /paymentId",
        "13 CUSTOMER_NOT_FOUND /customerId",
        "14 CUSTOMER_NOT_LINKED /customerId",
        "15 SETTLED_AT_OUT_OF_RANGE /settlementDate",
      ];
      for (const more of [["--dry-run"], []]) {
        const { status, err } = await data.imported(lines, ...more);
        expect([status, errorsOf(err)]).toEqual([1, expected]);
      }
      expect(await data.stored("merchants")).toHaveLength(2);
      expect(await data.stored("payments")).toHaveLength(1);
      expect((await data.imported(stored)).err).toBe(done({ unchanged: 6 }));
    });

    it("runs beside a service on PostgreSQL, and is refused with the service's address on SQLite", async () => {
      const data = await open();
      const { url } = await data.serve();
      const { status, out, err } = await data.imported([merchant, client]);
      if (data.isPostgres) {
        expect((await call(url, await tokenOf(url, out.trim()))).status).toBe(404);
      } else {
        expect(status).toBe(2);
        expect(err).toMatch(/^countersign: CS_CLI_DATABASE_UNUSABLE: .+ is in use by process /);
        expect(err).toContain(`at ${url}: stop it first`);
      }
    });

    it("with --dry-run, reports what a file would change, and changes nothing and prints no secret", async () => {
      const data = await open();
      const file = join(temporaryFolder(), "records.jsonl");
      const payments = Array.from({ length: 30 }, (_, index) => payment(`p${index}`));
      const lines = [merchant, client, customer, ...payments].map((one) => JSON.stringify(one));
      // Without the last newline.
      writeFileSync(file, lines.join("\n"));
      const dry = await data.run("import", file, "--dry-run");
      const words = done({ created: 33 }, "dry run, nothing imported");
      expect(dry).toEqual({ status: 0, out: "", err: words });
      expect(await data.stored("merchants")).toEqual([]);
      expect(await data.stored("events")).toEqual([]);
      expect((await data.run("import", file)).err).toContain(done({ created: 33 }));
      const again = await data.run("import", file, "--dry-run", "--json");
      expect(JSON.parse(again.out)).toEqual({
        ok: true,
        dryRun: true,
        created: 0,
        changed: 0,
        unchanged: 33,
        clients: [],
      });
    });
  });
});

it("countersign serve import exits with 2 for a file that cannot be read, and creates no database", async () => {
  const folder = temporaryFolder();
  const { run } = serviceData(join(folder, "none", "service.db"));
  expect(await run("import", "/no/such/file")).toEqual(failedWith("ARGUMENT_UNUSABLE"));
  expect(await run("deliveries", "list")).toEqual(failedWith("DATABASE_UNUSABLE"));
});
