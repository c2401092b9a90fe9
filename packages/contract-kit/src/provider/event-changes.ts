import { eligibleAt, formatAmount } from "@countersign/rules";
import type { SentEvent } from "@countersign/schemas/provider-of";
import {
  requestRefund,
  isCreated,
  prepareDebit,
  textOf,
  typesOf,
  UNKNOWN_PAYMENT,
} from "./calls.ts";
import type { Values } from "./provider-states.ts";
import { isoTime, maybe, type CallAnswer, type Session, summary } from "./session.ts";

export const CAUSED = "P-EVENT-CAUSED";
export const EACH = "P-EVENT-EACH-STATE";

export type Kind = NonNullable<SentEvent["kind"]>;

/** A change of a resource that has one event, or may have one. */
export interface Change {
  readonly id: string;
  readonly kind: Kind;
  /** True if its event must arrive: a call caused it, or a state was requested to cause it. */
  readonly isSure: boolean;
  /** When it happened, by the merchant's clock: the earliest and the latest millisecond. */
  readonly from: number;
  readonly to: number;
  /** Members of the event's data. */
  readonly facts: Values;
}

type Happened = Omit<Change, "from" | "to">;

const HOUR_MS = 3_600_000;

/** Amounts in cents that every common mistake changes: wrong units, floating point, truncated digits. */
const AMOUNTS = [1n, 29n, 1050n, 1999n, 123_456_789n, 9_999_999_999n];

export class ChangeLog {
  readonly changes: Change[] = [];
  /** Members of every event of a resource, by its id. */
  readonly always: Map<string, Values> = new Map();
  readonly session: Session;
  constructor(session: Session) {
    this.session = session;
  }

  /** Performs an action, and notes its changes with the time that it took. */
  async add<T>(act: () => Promise<T>, changesOf: (done: T) => readonly Happened[]): Promise<T> {
    const from = await this.session.time();
    const done = await act();
    const to = await this.session.time();
    this.changes.push(...changesOf(done).map((change) => ({ ...change, from, to })));
    return done;
  }
}

function happened(id: string, kind: Kind, facts: Values = {}): Happened {
  const paymentStatus = STATUSES[kind];
  return { id, kind, isSure: true, facts: { ...(paymentStatus && { paymentStatus }), ...facts } };
}

function allowed(id: string, ...kinds: readonly Kind[]): readonly Happened[] {
  return kinds.map((kind) => ({ ...happened(id, kind), isSure: false }));
}

/** Allowed for a new customer. */
const MADE = ["customer.created", "account.linked", "customer.activated"] as const;

const STATUSES: Partial<Record<Kind, string>> = {
  "payment.created": "CREATED",
  "payment.authorized": "AUTHORIZED",
  "payment.succeeded": "SUCCEEDED",
  "payment.failed": "TERMINAL_FAILED",
  "payment.canceled": "CANCELED",
  "refund.pending": "PENDING",
  "refund.authorized": "AUTHORIZED",
  "refund.failed": "TERMINAL_FAILED",
};

/** Payments with such amounts, their refunds in every state, and calls that must change nothing. */
export async function payments(log: ChangeLog): Promise<void> {
  const { session } = log;
  const { profile } = session;
  const clientReferenceId = "Größe 10/№ 42 – 注文";
  const debit = (cents: bigint, status: "processing" | "canceled" = "processing") =>
    log.add(
      () => prepareDebit(session, { cents, status, clientReferenceId }),
      ({ paymentId, customerId }) => {
        const facts = { paymentId, customerId, clientReferenceId, amount: formatAmount(cents) };
        log.always.set(paymentId, { ...facts, direction: "DEBIT", covered: false });
        const kinds = ["payment.created", "payment.authorized", "payment.canceled"] as const;
        const moves = kinds.slice(0, status === "canceled" ? 3 : 2);
        return [...allowed(paymentId, ...moves), ...allowed(customerId, ...MADE)];
      },
    );
  const knownKey = session.key();
  const refund = async (
    paymentId: string,
    cents: bigint,
    more: { readonly clientReferenceId?: string } = {},
    requestKey = session.key(),
  ): Promise<string> => {
    const { body } = await log.add(
      () => requestRefund(session, { paymentId, amount: formatAmount(cents), requestKey, more }),
      (answer) => {
        const what = `no refund was made: ${summary(answer)}`;
        session.expect(EACH, isCreated(answer, profile), what);
        const { paymentId: id, paymentStatus, errorDetails } = answer.body;
        const kind = REFUND_KINDS.find((one) => STATUSES[one] === paymentStatus);
        const isNull = profile.refund.clientReferenceIdWhenAbsent === "null";
        const absent = isNull ? { clientReferenceId: null } : {};
        log.always.set(String(id), { paymentId: id, ...absent, ...more });
        const facts = errorDetails === undefined ? {} : { errorDetails };
        return typeof id === "string" ? [happened(id, kind ?? "refund.pending", facts)] : [];
      },
    );
    return String(body["paymentId"]);
  };
  const fail = (paymentId: string, ...refunds: readonly Happened[]) =>
    log.add(
      () => session.state("the payment fails", { paymentId }),
      () => [happened(paymentId, "payment.failed"), ...refunds],
    );

  const debits = [];
  for (const cents of AMOUNTS) debits.push((await debit(cents)).paymentId);
  await debit(500n, "canceled");
  const [tiny = "", failing = "", settling = "", covered = "", failed = "", large = ""] = debits;
  const early = await refund(failing, 13n, { clientReferenceId: "réf-1" }, knownKey);
  const held = await refund(settling, 1050n, { clientReferenceId: "réf-3" });
  await tick(session, 37 * 60_000 + 11);
  await expectRefusals(session, { debit: tiny, exhausted: settling, refund: early, knownKey });

  await fail(failing, happened(early, "refund.failed"));
  await fail(failed);
  const settledAt = await session.time();
  const settlementDate = isoTime(settledAt);
  for (const paymentId of [settling, large, covered]) {
    const settle = () => session.state("the payment settles", { paymentId });
    await log.add(settle, () => [happened(paymentId, "payment.succeeded", { settlementDate })]);
  }
  await session.state("the payment is covered", { paymentId: covered });
  const from = eligibleAt(settledAt, profile.hold);
  const to = from + HOUR_MS;
  await session.moveTo(to);
  log.changes.push({ ...happened(held, "refund.authorized"), from, to });
  await refund(large, 9_999_999_998n);
  await refund(failed, 1n, { clientReferenceId: "réf-2" });
  await refund(covered, 1n);
  await expectRefusals(session, { debit: large, exhausted: settling, refund: held, knownKey });
}

const REFUND_KINDS = ["refund.pending", "refund.authorized", "refund.failed"] as const;

async function tick(session: Session, ms: number): Promise<void> {
  await session.moveTo((await session.time()) + ms);
}

/** Makes calls of every kind of refusal: none of them may have an event. The exhausted debit is wholly refunded. */
async function expectRefusals(
  session: Session,
  {
    debit,
    exhausted,
    refund,
    knownKey,
  }: Readonly<Record<"debit" | "exhausted" | "refund" | "knownKey", string>>,
): Promise<void> {
  const requestKey = session.key();
  const json = { paymentId: debit, amount: { currency: "USD", value: 0.01 }, requestKey };
  const headers = { authorization: "Bearer no-such-token" };
  const ask = (paymentId: string, text: string, key = session.key()): Promise<CallAnswer> =>
    requestRefund(session, { paymentId, amount: text, requestKey: key });
  const answers = [
    await ask(exhausted, "99999999.00"),
    await ask(debit, "99999999.99"),
    await ask(UNKNOWN_PAYMENT, "0.01"),
    await ask(refund, "0.01"),
    await ask(debit, "0"),
    await ask(debit, "0.001"),
    await ask(debit, "0.01", ""),
    await ask(debit, "0.01", knownKey),
    await session.call("POST", "/v1/refunds", { text: "{" }),
    await session.call("POST", "/v1/refunds", { json, headers }),
    // The refusal leaves the key free, so a repeat is refused again.
    await ask(exhausted, "99999999.00", requestKey),
  ];
  for (const answer of answers) {
    const accepted = `a call that must be refused was answered ${summary(answer)}`;
    session.expect(CAUSED, answer.status >= 400, accepted);
  }
}

/** Customers and accounts in every state, each compared with the answer of a look-up. */
export async function people({ session, changes }: ChangeLog): Promise<void> {
  const { profile } = session;
  for (const type of typesOf(profile)) {
    const kind = profile.catalogue.find((row) => row.type === type)?.kind;
    if (kind === undefined || !/^(?:customer|account)\./.test(kind)) continue;
    await tick(session, 61_003);
    const from = await session.time();
    const values = await maybe(session.state("an event", { type, optional: "present" }));
    if (values === undefined) return;
    const id = textOf(values, "customerId");
    const { body } = await session.call("GET", `/v1/customers/${id}`);
    const { accountDetails } = body;
    // The changed account may be one that a look-up does not show.
    const ofAccount = { customerId: id, ...(kind !== "account.updated" && { accountDetails }) };
    const facts = kind.startsWith("customer.") ? body : ofAccount;
    // An event of one account may also change another account.
    const linked = kind === "account.updated" ? (["account.linked"] as const) : [];
    const others = [...MADE, ...linked].filter((one) => one !== kind);
    const to = await session.time();
    for (const change of [happened(id, kind, facts), ...allowed(id, ...others)])
      changes.push({ ...change, from, to });
  }
}
