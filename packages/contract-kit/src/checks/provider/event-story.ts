import { eligibleAt } from "@countersign/rules";
import type { Profile } from "@countersign/schemas";
import {
  amountText,
  askRefund,
  isCreated,
  pay,
  shown,
  textOf,
  typesOf,
} from "../../harness/calls.ts";
import { maybe, moveTo, timeOf, type Reading, type Session } from "../../harness/session.ts";
import { must } from "../../harness/judge.ts";
import { holdOf } from "./refund-states.ts";

export const CAUSED = "P-EVENT-CAUSED";
export const EACH = "P-EVENT-EACH-STATE";

export type Kind = NonNullable<Profile["catalogue"][number]["kind"]>;

/** A change of a resource that has one event, or may have one. */
export interface Change {
  readonly kind: Kind;
  /** True if its event must arrive: a call caused it, or a state was requested to cause it. */
  readonly isOwed: boolean;
  /** When it happened, by the merchant's clock: the earliest and the latest millisecond. */
  readonly from: number;
  readonly to: number;
  /** Members of the event's data. */
  readonly facts: Readonly<Record<string, unknown>>;
}

const HOUR_MS = 3_600_000;

/** Amounts in cents that every common mistake changes: wrong units, floating point, truncated digits. */
const AMOUNTS = [1n, 29n, 1050n, 1999n, 123_456_789n, 9_999_999_999n];

/** The changes made, by the ids of the changed resources. */
export class Story {
  readonly changes: Map<string, Change[]> = new Map();
  /** Members of every event of a resource, by its id. */
  readonly always: Map<string, Change["facts"]> = new Map();
  readonly session: Session;
  constructor(session: Session) {
    this.session = session;
  }

  /** Performs an action, and records its changes with the elapsed time. */
  async tell<T extends object>(
    act: () => Promise<T>,
    changes: (done: T) => Readonly<Record<string, readonly Partial<Change>[]>>,
  ): Promise<T> {
    const from = await timeOf(this.session);
    const done = await act();
    const to = await timeOf(this.session);
    for (const [id, all] of Object.entries(changes(done)))
      for (const change of all)
        this.note(id, { kind: "payment.created", isOwed: false, from, to, facts: {}, ...change });
    return done;
  }

  note(id: string, change: Change): void {
    this.changes.set(id, [...(this.changes.get(id) ?? []), change]);
  }
}

const owed = (kind: Kind, facts: Change["facts"] = {}): Partial<Change> => ({
  kind,
  facts,
  isOwed: true,
});
const allowed = (...kinds: readonly Kind[]): readonly Partial<Change>[] =>
  kinds.map((kind) => ({ kind }));
const made = allowed("customer.created", "account.linked", "customer.activated");

/** Payments with such amounts, their refunds in every state, and calls that must change nothing. */
export async function payments(story: Story): Promise<void> {
  const { session } = story;
  const { profile } = session.target;
  const clientReferenceId = "Größe 10/№ 42 – 注文";
  const debit = (cents: bigint, status: "processing" | "canceled" = "processing") =>
    story.tell(
      () => pay(session, { cents, status, clientReferenceId }),
      ({ paymentId, customerId }) => {
        const facts = {
          paymentId,
          customerId,
          direction: "DEBIT",
          amount: amountText(cents),
          covered: false,
          clientReferenceId,
        };
        const kinds = ["payment.created", "payment.authorized", "payment.canceled"] as const;
        const moves = kinds.slice(0, status === "canceled" ? 3 : 2);
        story.always.set(paymentId, facts);
        return {
          [paymentId]: moves.map((kind) => ({ kind, facts: statusOf(kind) })),
          [customerId]: made,
        };
      },
    );
  const refund = async (paymentId: string, cents: bigint, reference: string | null) => {
    const more = reference === null ? {} : { clientReferenceId: reference };
    return story.tell(
      () => askRefund(session, { paymentId, amount: amountText(cents), more }),
      (answer) => {
        must(EACH, isCreated(answer, profile), () => `no refund was made: ${shown(answer)}`);
        const { paymentId: id, paymentStatus: status, errorDetails } = answer.body;
        const kind = KIND_OF_STATUS[String(status)] ?? "refund.pending";
        const facts = {
          paymentId: id,
          paymentStatus: status,
          ...(profile.refund.clientReferenceIdWhenAbsent === "null" || reference !== null
            ? { clientReferenceId: reference }
            : {}),
          ...(errorDetails !== undefined && { errorDetails }),
        };
        return { [String(id)]: [owed(kind, facts)] };
      },
    );
  };
  const idOf = (answer: { readonly body: Readonly<Record<string, unknown>> }): string =>
    String(answer.body["paymentId"]);
  const refundMoves = (id: string, kind: Kind, reference: string | null): Partial<Change> =>
    owed(kind, {
      paymentId: id,
      paymentStatus: kind === "refund.failed" ? "TERMINAL_FAILED" : "AUTHORIZED",
      ...(reference !== null && { clientReferenceId: reference }),
    });

  const debits = [];
  for (const cents of AMOUNTS) debits.push({ ...(await debit(cents)), cents });
  await debit(500n, "canceled");
  const [tiny, failing, settling, covered, failed, large] = debits;
  if (!tiny || !failing || !settling || !covered || !failed || !large) return;
  const early = idOf(await refund(failing.paymentId, 13n, "réf-1"));
  const held = idOf(await refund(settling.paymentId, 1050n, null));
  await tick(session, 37 * 60_000 + 11);
  await refusedCalls(session, { debit: tiny, exhausted: settling, refund: early });

  const fails = { paymentId: failing.paymentId };
  await story.tell(
    () => session.state("the payment fails", fails),
    () => ({
      [failing.paymentId]: [owed("payment.failed", statusOf("payment.failed"))],
      [early]: [refundMoves(early, "refund.failed", "réf-1")],
    }),
  );
  await story.tell(
    () => session.state("the payment fails", { paymentId: failed.paymentId }),
    () => ({ [failed.paymentId]: [owed("payment.failed", statusOf("payment.failed"))] }),
  );
  const settledAt = await timeOf(session);
  for (const { paymentId } of [settling, large, covered]) {
    await story.tell(
      () => session.state("the payment settles", { paymentId }),
      () => ({
        [paymentId]: [
          owed("payment.succeeded", {
            ...statusOf("payment.succeeded"),
            settlementDate: new Date(settledAt).toISOString(),
          }),
        ],
      }),
    );
  }
  await session.state("the payment is covered", { paymentId: covered.paymentId });
  const threshold = eligibleAt(settledAt, holdOf(profile));
  await moveTo(session, threshold + HOUR_MS);
  story.note(held, {
    kind: "refund.authorized",
    isOwed: true,
    from: threshold,
    to: threshold + HOUR_MS,
    facts: refundMoves(held, "refund.authorized", null).facts ?? {},
  });
  await refund(large.paymentId, 9_999_999_998n, null);
  await refund(failed.paymentId, 1n, "réf-2");
  await refund(covered.paymentId, 1n, null);
  await refusedCalls(session, { debit: large, exhausted: settling, refund: held });
}

const KIND_OF_STATUS: Readonly<Record<string, Kind>> = {
  PENDING: "refund.pending",
  AUTHORIZED: "refund.authorized",
  TERMINAL_FAILED: "refund.failed",
};

function statusOf(kind: Kind): Readonly<Record<string, unknown>> {
  const statuses: Partial<Record<Kind, string>> = {
    "payment.created": "CREATED",
    "payment.authorized": "AUTHORIZED",
    "payment.succeeded": "SUCCEEDED",
    "payment.failed": "TERMINAL_FAILED",
    "payment.canceled": "CANCELED",
  };
  return { paymentStatus: statuses[kind] };
}

async function tick(session: Session, ms: number): Promise<void> {
  await moveTo(session, (await timeOf(session)) + ms);
}

/** Calls of every kind of refusal: none of them may have an event. */
async function refusedCalls(
  session: Session,
  {
    debit: { paymentId },
    exhausted,
    refund,
  }: {
    readonly debit: { readonly paymentId: string };
    readonly exhausted: { readonly paymentId: string };
    readonly refund: string;
  },
): Promise<void> {
  const known = session.key();
  const duplicate = { paymentId: exhausted.paymentId, amount: "0.01", requestKey: known };
  const refused = [
    await askRefund(session, { paymentId: exhausted.paymentId, amount: "99999999.00" }),
    await askRefund(session, { paymentId, amount: "99999999.99" }),
    await askRefund(session, { paymentId: "pay_that_is_not_there", amount: "0.01" }),
    await askRefund(session, { paymentId: refund, amount: "0.01" }),
    await askRefund(session, { paymentId, amount: "0" }),
    await askRefund(session, { paymentId, amount: "0.001" }),
    await askRefund(session, { paymentId, amount: "0.01", requestKey: "" }),
    await session.call("POST", "/v1/refunds", { text: "{" }),
    await session.call("POST", "/v1/refunds", {
      json: { paymentId, amount: { currency: "USD", value: 0.01 }, requestKey: known },
      headers: { authorization: "Bearer no-such-token" },
    }),
    // The refusal leaves the key free, so a repeat is refused again.
    await askRefund(session, { ...duplicate, amount: "99999999.00" }),
  ];
  const taken = refused.find(({ status }) => status < 400);
  must(
    CAUSED,
    taken === undefined,
    () => `a call that must be refused was answered ${shown(taken ?? NONE)}`,
  );
}

const NONE: Reading = { status: 0, headers: {}, text: "", body: {} };

/** Customers and accounts in every state, each compared with the answer of a look-up. */
export async function people(story: Story): Promise<void> {
  const { session } = story;
  const { catalogue } = session.target.profile;
  for (const type of typesOf(session.target.profile)) {
    const kind = catalogue.find((row) => row.type === type)?.kind;
    if (kind === undefined || !/^(?:customer|account)\./.test(kind)) continue;
    await tick(session, 61_003);
    const from = await timeOf(session);
    const values = await maybe(() => session.state("an event", { type, optional: "present" }));
    if (values === undefined) return;
    const customerId = textOf(values, "customerId");
    const { body } = await session.call("GET", `/v1/customers/${customerId}`);
    const facts = kind.startsWith("customer.")
      ? body
      : {
          customerId,
          // The changed account may be one that a look-up does not show.
          ...(kind !== "account.updated" && { accountDetails: body["accountDetails"] }),
        };
    const window = { from, to: await timeOf(session) };
    story.note(customerId, { kind, isOwed: true, ...window, facts });
    // An event of one account may also change another account.
    const others = kind === "account.updated" ? ["account.linked" as const] : [];
    for (const other of [...others, ...made.map((one) => one.kind)])
      if (other !== kind && other !== undefined)
        story.note(customerId, { kind: other, isOwed: false, ...window, facts: {} });
  }
}
