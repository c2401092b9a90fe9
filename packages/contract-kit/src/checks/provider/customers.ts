import type { ProviderCheck } from "../../check.ts";
import { askRefund, pay, textOf, requireStatus } from "../../harness/calls.ts";
import { singleCheck } from "../../harness/scenario.ts";
import { maybe, openBeside, timeOf, type Reading } from "../../harness/session.ts";
import { must } from "../../harness/judge.ts";

const READ = "P-CUSTOMER-READ";
const TIMES = "P-CUSTOMER-TIMES";
const ABSENT = "P-CUSTOMER-NOT-FOUND";
const FOREIGN = "P-FOREIGN-404";

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
/** Allowed difference of a timestamp in milliseconds: the duration of a call. */
const SLACK_MS = 60_000;

/** Values that a careless service changes: leading zeros, letters beyond ASCII, spaces, long texts. */
const PEOPLE = [
  { status: "CREATED", linked: false },
  { status: "ACTIVE", accountLastFourDigits: "0042", firstName: "Zoë", lastName: "O’Neil-Ñandú" },
  { status: "INACTIVE", accountLastFourDigits: "0000", email: "a+b@xn--bcher-kva.example" },
  { status: "ACTIVE", accountType: "savings", financialInstitutionName: "Bank & Söhne <“1”>" },
  { status: "CREATED", linked: true, firstName: "x".repeat(255), lastName: "李" },
] as const;

export const customers: ProviderCheck = singleCheck({
  id: "provider/customers",
  title: "a customer is read completely, and another merchant's customer is not found",
  requirements: [READ, TIMES, ABSENT, FOREIGN],
  play: async (session) => {
    const types = session.target.profile.account.types;
    const now = await maybe(() => timeOf(session));
    const path = (id: string): string => `/v1/customers/${id}`;
    const ids: string[] = [];
    for (const person of PEOPLE) {
      if ("accountType" in person && !types.includes(person.accountType)) continue;
      const id = textOf(await session.state("a customer", person), "customerId");
      ids.push(id);
      const loose = await session.call("GET", path(id), { isUnjudged: true });
      for (const [, time = ""] of loose.text.matchAll(/"creationDate":"([^"]*)"/g)) {
        must(
          TIMES,
          TIME.test(time),
          () => `GET ${path(id)}: ${time} has no three digits of milliseconds`,
        );
        const off = Math.abs(Date.parse(time) - (now ?? Date.parse(time)));
        must(TIMES, off < SLACK_MS, () => {
          return `GET ${path(id)}: created at ${new Date(now ?? 0).toISOString()}, answered as ${time}`;
        });
      }
      const answer = await session.call("GET", path(id));
      requireStatus(READ, `GET ${path(id)}`, answer, 200);
      requireAs(person, id, answer);
    }
    const other = await openBeside(session);
    const asker = other ?? session;
    const nobodys = await asker.call("GET", path("cus_that_is_not_there"));
    requireStatus(ABSENT, "an unknown customer", nobodys, 404);
    if (other === undefined) return { [FOREIGN]: "a second merchant is missing" };
    const [id = ""] = ids;
    requireAlike(nobodys, await other.call("GET", path(id)), [id, "cus_that_is_not_there"]);
    const { paymentId } = await pay(session);
    const ask = (of: string): Promise<Reading> =>
      askRefund(other, { paymentId: of, amount: "0.01" });
    const absent = "pay_that_is_not_there";
    requireAlike(await ask(absent), await ask(paymentId), [paymentId, absent]);
    return undefined;
  },
});

function requireAs(
  { status, linked = true, ...person }: (typeof PEOPLE)[number] & { readonly linked?: boolean },
  id: string,
  { body }: Reading,
): void {
  const wanted: Readonly<Record<string, unknown>> = { id, customerStatus: status, ...person };
  const { accountDetails } = body;
  must(READ, linked === (typeof accountDetails === "object" && accountDetails !== null), () => {
    const account = JSON.stringify(accountDetails) ?? "no accountDetails";
    return `a customer ${linked ? "with" : "without"} a linked account: got ${account}`;
  });
  must(READ, linked || !("accountDetails" in body), () => {
    return `a customer without a linked account: expected no accountDetails, got ${JSON.stringify(accountDetails)}`;
  });
  const got = { ...body, ...(linked && { ...(accountDetails as object), id: body["id"] }) };
  for (const [name, value] of Object.entries(wanted)) {
    // The members of both, whose names differ.
    const said = (got as Readonly<Record<string, unknown>>)[name];
    must(READ, said === value, () => {
      return `${name}: expected ${JSON.stringify(value)}, got ${JSON.stringify(said)}`;
    });
  }
}

function requireAlike(absent: Reading, foreign: Reading, ids: readonly string[]): void {
  const plain = ({ status, body }: Reading): string => {
    const { requestId: _, instance: __, errorId: ___, ...rest } = body;
    return ids.reduce((said, id) => said.replaceAll(id, "ID"), JSON.stringify([status, rest]));
  };
  must(FOREIGN, absent.status === 404 && plain(absent) === plain(foreign), () => {
    return `another merchant's: expected ${plain(absent)}, got ${plain(foreign)}`;
  });
}
