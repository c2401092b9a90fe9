import type { ProviderCheck } from "../../check.ts";
import { shown } from "./refunds.ts";
import { playOnce } from "../../harness/scenario.ts";
import { openBeside, type Reading, type Session } from "../../harness/session.ts";
import { must } from "../../harness/violation.ts";

const READ = "P-CUSTOMER-READ";
const TIMES = "P-CUSTOMER-TIMES";
const ABSENT = "P-CUSTOMER-NOT-FOUND";
const FOREIGN = "P-FOREIGN-404";
const requirements = [READ, TIMES, ABSENT, FOREIGN, "P-ANSWER-SCHEMA"];

/** One's own customer, nobody's, and another merchant's customer and payment. */
export const customers: ProviderCheck = {
  id: "provider/customers",
  title: "a customer is read whole, and what is another merchant's is not there",
  role: "provider",
  requirements,
  run: (target, context) =>
    playOnce({ requirements, needs: ["payments", "another"], play }, target, context),
};

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

async function play(session: Session): Promise<void> {
  const made = await session.controls.payments?.create(100n);
  const other = await openBeside(session);
  if (made === undefined || other === undefined) return;
  const { customerId, paymentId } = made;

  const unjudged = await session.call("GET", `/v1/customers/${customerId}`, { isUnjudged: true });
  const times = [...unjudged.text.matchAll(/"creationDate":"([^"]*)"/g)].map(
    ([, time]) => time ?? "",
  );
  const wrong = times.find((time) => !TIME.test(time));
  must(
    TIMES,
    wrong === undefined,
    () => `GET ${customerId}: ${wrong} has no three digits of milliseconds`,
  );
  const own = await session.call("GET", `/v1/customers/${customerId}`);
  const isWhole =
    own.status === 200 && own.body["id"] === customerId && "accountDetails" in own.body;
  must(
    READ,
    isWhole,
    () =>
      `GET ${customerId}: the customer with its account expected, ${own.status} ${own.text} came`,
  );

  const nobodys = await other.call("GET", "/v1/customers/cus_that_is_not_there");
  must(
    ABSENT,
    nobodys.status === 404,
    () => `an unknown customer: 404 expected, ${shown(nobodys)} came`,
  );
  const theirs = await other.call("GET", `/v1/customers/${customerId}`);
  requireAlike(nobodys, theirs, [customerId, "cus_that_is_not_there"]);

  const ask = (id: string): Promise<Reading> =>
    other.call("POST", "/v1/refunds", {
      json: { paymentId: id, amount: { currency: "USD", value: 0.01 }, requestKey: other.key() },
    });
  requireAlike(await ask("pay_that_is_not_there"), await ask(paymentId), [
    paymentId,
    "pay_that_is_not_there",
  ]);
}

/** The same status and the same words, but for what names the call. */
function requireAlike(absent: Reading, foreign: Reading, ids: readonly string[]): void {
  const plain = ({ status, body }: Reading): string => {
    const { requestId: _, instance: __, errorId: ___, ...rest } = body;
    return ids.reduce((text, id) => text.replaceAll(id, "ID"), JSON.stringify([status, rest]));
  };
  must(
    FOREIGN,
    absent.status === 404 && plain(absent) === plain(foreign),
    () => `another merchant's: ${plain(absent)} expected, ${plain(foreign)} came`,
  );
}
