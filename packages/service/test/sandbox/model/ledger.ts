import { thresholdOf } from "../../../../rules/test/independent-calendar.ts";

export interface Debit {
  readonly id: string;
  readonly cents: number;
  readonly key: string;
  readonly createdAt: number;
  status: "CREATED" | "AUTHORIZED" | "SUCCEEDED" | "TERMINAL_FAILED" | "CANCELED";
  covered: boolean;
  settledAt: number | undefined;
}

export interface RefundAsk {
  readonly of: Debit;
  readonly cents: number;
  readonly key: string;
  readonly reference?: string | undefined;
  readonly descriptor?: string | undefined;
}

export interface Refund {
  readonly id: string;
  readonly ask: RefundAsk;
  status: "PENDING" | "AUTHORIZED" | "TERMINAL_FAILED";
  dueAt: number | undefined;
  reason: readonly [code: string, message: string] | undefined;
}

/** The expected answer to a call: its status, and a refusal's code. */
export type Predicted = readonly [status: number, code?: string];

export interface Event {
  readonly type: string;
  readonly at: number;
  readonly data: { readonly paymentId: string };
}

const NOT_DEBITED = ["CUSTOMER_NOT_DEBITED", "The original debit was not successful."] as const;
const RETURNED = ["REFUND_RETURNED", "The receiving bank returned the refund."] as const;
const INVALID: Predicted = [409, "INVALID_TRANSITION"];

/**
 * The interface's promises about a merchant's payments, in the simplest words: predicts each call's
 * answer and records every event. It shares no code with the service.
 */
export class Ledger {
  now: number;
  readonly customerId: string;
  readonly debits: Debit[] = [];
  readonly refunds: Refund[] = [];
  readonly events: Event[] = [];

  constructor(now: number, customerId: string) {
    this.now = now;
    this.customerId = customerId;
  }

  get keys(): readonly string[] {
    return [...this.debits.map(({ key }) => key), ...this.refunds.map(({ ask }) => ask.key)];
  }

  paid(made: Pick<Debit, "id" | "cents" | "key">): Debit {
    const state = { status: "CREATED", covered: false, settledAt: undefined } as const;
    const debit: Debit = { ...made, ...state, createdAt: this.now };
    this.debits.push(debit);
    this.#report("payment.created", this.#debitData(debit));
    return debit;
  }

  authorize(debit: Debit): Predicted {
    if (debit.status === "AUTHORIZED") return [200];
    if (debit.status !== "CREATED") return INVALID;
    debit.status = "AUTHORIZED";
    this.#report("payment.authorized", this.#debitData(debit));
    return [200];
  }

  /** @param at The bank's time; refused unless it is from the payment's creation until now. */
  settle(debit: Debit, at: number): Predicted {
    if (debit.status === "SUCCEEDED") return [200];
    if (isFailed(debit)) return INVALID;
    if (at < debit.createdAt || at > this.now) return [400, "INVALID_REQUEST"];
    debit.status = "SUCCEEDED";
    debit.settledAt = at;
    this.#report("payment.succeeded", this.#debitData(debit));
    for (const refund of this.#waiting(debit)) {
      refund.dueAt = thresholdOf(debit.settledAt);
      if (refund.dueAt <= this.now) this.#enter(refund, "AUTHORIZED");
    }
    return [200];
  }

  fail(debit: Debit, status: "TERMINAL_FAILED" | "CANCELED"): Predicted {
    if (debit.status === status) return [200];
    const isLate = debit.status === "SUCCEEDED" && status === "CANCELED";
    if (isFailed(debit) || isLate) return INVALID;
    debit.status = status;
    const type = status === "CANCELED" ? "payment.canceled" : "payment.failed";
    this.#report(type, this.#debitData(debit));
    for (const refund of this.#waiting(debit)) this.#enter(refund, "TERMINAL_FAILED", NOT_DEBITED);
    return [200];
  }

  cover(debit: Debit): Predicted {
    debit.covered = true;
    for (const refund of this.#waiting(debit)) this.#enter(refund, "TERMINAL_FAILED", NOT_DEBITED);
    return [200];
  }

  return(refund: Refund): Predicted {
    if (refund.status !== "AUTHORIZED") return INVALID;
    this.#enter(refund, "TERMINAL_FAILED", RETURNED);
    return [200];
  }

  /** Predicts the answer to a refund request; after a 201, `asked` records the refund. */
  ask({ key, of, cents }: RefundAsk): Predicted {
    if (this.keys.includes(key)) return [409, "DUPLICATE_REQUEST_KEY"];
    if (of.covered || isFailed(of)) return [201];
    const left = this.left(of);
    if (left === 0) return [422, "PAYMENT_ALREADY_REFUNDED"];
    return cents > left ? [422, "REFUND_AMOUNT_EXCEEDS_REMAINING"] : [201];
  }

  asked(ask: RefundAsk, id: string): Refund {
    const { settledAt, covered } = ask.of;
    const dueAt = settledAt === undefined ? undefined : thresholdOf(settledAt);
    const refund: Refund = { id, ask, status: "PENDING", dueAt, reason: undefined };
    this.refunds.push(refund);
    if (covered || isFailed(ask.of)) this.#enter(refund, "TERMINAL_FAILED", NOT_DEBITED);
    else this.#enter(refund, this.now >= (dueAt ?? Infinity) ? "AUTHORIZED" : "PENDING");
    return refund;
  }

  /** @returns The instants at which something was due. */
  moveTo(to: number): number[] {
    const due = this.refunds.filter(
      ({ status, dueAt = Infinity }) => status === "PENDING" && dueAt <= to,
    );
    const instants = [...new Set(due.map(({ dueAt = 0 }) => dueAt))].toSorted((a, b) => a - b);
    for (const instant of instants) {
      this.now = instant;
      for (const refund of due) if (refund.dueAt === instant) this.#enter(refund, "AUTHORIZED");
    }
    this.now = to;
    return instants;
  }

  left(debit: Debit): number {
    return this.refunds
      .filter(({ ask, status }) => ask.of === debit && status !== "TERMINAL_FAILED")
      .reduce((rest, { ask }) => rest - ask.cents, debit.cents);
  }

  #waiting(debit: Debit): Refund[] {
    return this.refunds.filter(({ ask, status }) => ask.of === debit && status === "PENDING");
  }

  #enter(refund: Refund, status: Refund["status"], reason?: Refund["reason"]): void {
    const names = { PENDING: "pending", AUTHORIZED: "authorized", TERMINAL_FAILED: "failed" };
    Object.assign(refund, { status, reason, ...(status !== "PENDING" && { dueAt: undefined }) });
    this.#report(`refund.${names[status]}`, refundData(refund));
  }

  #report(type: string, data: Event["data"]): void {
    this.events.push({ type, at: this.now, data });
  }

  #debitData({ id, cents, status, covered, createdAt, settledAt }: Debit): Event["data"] {
    const errorMessage = "The debit was not successful.";
    const errorDetails = { errorCode: "CUSTOMER_NOT_DEBITED", errorMessage };
    const members = {
      direction: "DEBIT",
      customerId: this.customerId,
      amount: { currency: "USD", value: cents / 100 },
      paymentStatus: status,
      clientReferenceId: null,
      creationDate: new Date(createdAt).toISOString(),
      ...(settledAt !== undefined && { settlementDate: new Date(settledAt).toISOString() }),
      ...(status === "TERMINAL_FAILED" && { errorDetails }),
      covered,
    };
    return { paymentId: id, ...members };
  }
}

/** A refund as S 2.2 has it. */
export function refundData({ id, ask, status, reason }: Refund): Event["data"] {
  const [errorCode, errorMessage] = reason ?? [];
  const members = {
    paymentStatus: status,
    clientReferenceId: ask.reference ?? null,
    ...(reason && { errorDetails: { errorCode, errorMessage } }),
  };
  return { paymentId: id, ...members };
}

const isFailed = ({ status }: Debit): boolean =>
  status === "TERMINAL_FAILED" || status === "CANCELED";
