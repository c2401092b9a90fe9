import type { ProviderCheck } from "../check.ts";
import { requestRefund, UNKNOWN_CUSTOMER, prepareDebit, textOf, UNKNOWN_PAYMENT } from "./calls.ts";
import { providerCheck } from "./provider-check.ts";
import { isoTime, maybe, type CallAnswer, type Session } from "./session.ts";
import { isRecord } from "../values.ts";

const READ = "P-CUSTOMER-READ";
const TIMES = "P-CUSTOMER-TIMES";
const ABSENT = "P-CUSTOMER-NOT-FOUND";
const FOREIGN = "P-FOREIGN-404";

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
/** Allowed difference of a timestamp in milliseconds: the duration of a call. */
const SLACK_MS = 60_000;

interface Person extends Readonly<Record<string, unknown>> {
  readonly status: string;
  readonly linked?: boolean;
  readonly accountType?: string;
}

/** Values that a careless service changes: leading zeros, letters beyond ASCII, spaces, long texts. */
const PEOPLE: readonly Person[] = [
  { status: "CREATED", linked: false },
  { status: "ACTIVE", accountLastFourDigits: "0042", firstName: "Zoë", lastName: "O’Neil-Ñandú" },
  { status: "INACTIVE", accountLastFourDigits: "0000", email: "a+b@xn--bcher-kva.example" },
  { status: "ACTIVE", accountType: "savings", financialInstitutionName: "Bank & Söhne <“1”>" },
  { status: "CREATED", linked: true, firstName: "x".repeat(255), lastName: "李" },
];

/** Ids that a careless query reads as a pattern, or as SQL. */
const patternsOf = (id: string): readonly string[] => [
  "%25",
  "_".repeat(id.length),
  `${id.slice(0, -1)}%25`,
  `${id}'`,
  `${id}%22`,
];

export const customers: ProviderCheck = providerCheck({
  id: "provider/customers",
  title: "a customer is read completely, and another merchant's customer is not found",
  run: async (session) => {
    const types: readonly string[] = session.profile.account.types;
    const now = await maybe(session.time());
    let id = "";
    for (const person of PEOPLE) {
      if (person.accountType !== undefined && !types.includes(person.accountType)) continue;
      id = textOf(await session.state("a customer", person), "customerId");
      const where = `GET /v1/customers/${id}`;
      const { text } = await session.call("GET", `/v1/customers/${id}`, { isUnchecked: true });
      for (const [, time = ""] of text.matchAll(/"creationDate":"([^"]*)"/g)) {
        const imprecise = `${where}: ${time} has no three digits of milliseconds`;
        session.expect(TIMES, TIME.test(time), imprecise);
        const created = now ?? Date.parse(time);
        const untimely = `${where}: created at ${isoTime(created)}, answered as ${time}`;
        session.expect(TIMES, Math.abs(Date.parse(time) - created) < SLACK_MS, untimely);
      }
      const answer = await session.call("GET", `/v1/customers/${id}`);
      if (session.expectStatus(READ, where, answer, 200)) expectPerson(session, person, answer, id);
    }
    const other = await session.other();
    const nobodys = await (other ?? session).call("GET", `/v1/customers/${UNKNOWN_CUSTOMER}`);
    session.expectStatus(ABSENT, "an unknown customer", nobodys, 404);
    for (const like of patternsOf(id)) {
      const answer = await session.call("GET", `/v1/customers/${like}`);
      // A service may refuse the form of an id.
      if (answer.status !== 400 || /^_+$/.test(like))
        session.expectStatus(ABSENT, `an unknown customer, ${like}`, answer, 404);
    }
    if (other === undefined) return session.notApplicable(FOREIGN, "a second merchant is missing");
    const theirs = await other.call("GET", `/v1/customers/${id}`);
    expectAlike(session, [nobodys, UNKNOWN_CUSTOMER], [theirs, id]);
    const { paymentId } = await prepareDebit(session);
    const ask = (of: string) => requestRefund(other, { paymentId: of, amount: "0.01" });
    const [absent, foreign] = [await ask(UNKNOWN_PAYMENT), await ask(paymentId)];
    expectAlike(session, [absent, UNKNOWN_PAYMENT], [foreign, paymentId]);
  },
});

function expectPerson(
  session: Session,
  { status, linked = true, ...person }: Person,
  { body }: CallAnswer,
  id: string,
): void {
  const { accountDetails } = body;
  const isRight = linked ? isRecord(accountDetails) : !("accountDetails" in body);
  const shown = JSON.stringify(accountDetails) ?? "no accountDetails";
  const linking = `a customer ${linked ? "with" : "without"} a linked account: got ${shown}`;
  session.expect(READ, isRight, linking);
  const account = isRecord(accountDetails) ? accountDetails : {};
  const got: Readonly<Record<string, unknown>> = { ...body, ...account, id: body["id"] };
  for (const [name, value] of Object.entries({ id, customerStatus: status, ...person }))
    session.expectEqual(READ, name, got[name], value);
}

type Looked = readonly [answer: CallAnswer, id: string];

/** Another merchant's must be answered like one that nobody has, but for its id. */
function expectAlike(session: Session, absent: Looked, foreign: Looked): void {
  const [expected, got] = [absent, foreign].map(([{ status, body }, id]) => {
    const { requestId: _, instance: __, errorId: ___, ...rest } = body;
    return JSON.stringify([status, rest]).replaceAll(id, "ID");
  });
  const unlike = `another merchant's: expected ${expected}, got ${got}`;
  session.expect(FOREIGN, absent[0].status === 404 && got === expected, unlike);
}
