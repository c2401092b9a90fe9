import { thresholdOf } from "./calendar.ts";
import { debitData, refundData } from "./resources.ts";
import { Subscribers } from "./subscribers.ts";

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
  /** A payment's or refund's id. */
  readonly paymentId: string;
  readonly cents: number;
  readonly key: string;
  readonly reference: string | undefined;
  readonly descriptor: string | undefined;
}

export interface Refund {
  readonly id: string;
  readonly ask: RefundAsk;
  readonly of: Debit;
  status: "PENDING" | "AUTHORIZED" | "TERMINAL_FAILED";
  dueAt: number | undefined;
  reason: readonly [code: string, message: string] | undefined;
}

/** What a call is answered with: its status, and of a refusal the code. */
export type Predicted = readonly [status: number, code?: string];

const NOT_DEBITED = ["CUSTOMER_NOT_DEBITED", "The original debit was not successful."] as const;
const RETURNED = ["REFUND_RETURNED", "The receiving bank returned the refund."] as const;

/**
 * What the interface promises of a merchant's payments, in the simplest words: predicts each call's
 * answer and writes down every event. It shares no code with the service.
 */
export class Ledger {
  now: number;
  readonly customerId: string;
  readonly lateReturn: boolean;
  readonly debits: Debit[] = [];
  readonly refunds: Refund[] = [];
  readonly subscribers: Subscribers = new Subscribers();
  /** In the order in which they happened. */
  readonly events: { type: string; at: number; data: object }[] = [];

  constructor(start: { now: number; customerId: string; lateReturn: boolean }) {
    this.now = start.now;
    this.customerId = start.customerId;
    this.lateReturn = start.lateReturn;
  }

  isTaken(key: string): boolean {
    return [
      ...this.debits.map((one) => one.key),
      ...this.refunds.map(({ ask }) => ask.key),
    ].includes(key);
  }

  paid(made: { id: string; cents: number; key: string }): Debit {
    const covered = false;
    const debit: Debit = {
      ...made,
      createdAt: this.now,
      status: "CREATED",
      covered,
      settledAt: undefined,
    };
    this.debits.push(debit);
    this.#tellDebit("payment.created", debit);
    return debit;
  }

  authorize(debit: Debit): Predicted {
    if (debit.status === "AUTHORIZED") return [200];
    if (debit.status !== "CREATED") return [409, "INVALID_TRANSITION"];
    debit.status = "AUTHORIZED";
    this.#tellDebit("payment.authorized", debit);
    return [200];
  }

  /** @param at What the bank says; counts as the payment's creation or now where it is outside. */
  settle(debit: Debit, at: number): Predicted {
    if (debit.status === "SUCCEEDED") return [200];
    if (!["CREATED", "AUTHORIZED"].includes(debit.status)) return [409, "INVALID_TRANSITION"];
    debit.status = "SUCCEEDED";
    debit.settledAt = Math.max(debit.createdAt, Math.min(at, this.now));
    this.#tellDebit("payment.succeeded", debit);
    for (const refund of this.#waiting(debit)) {
      refund.dueAt = thresholdOf(debit.settledAt);
      if (refund.dueAt <= this.now) this.#enter(refund, "AUTHORIZED");
    }
    return [200];
  }

  fail(debit: Debit, status: "TERMINAL_FAILED" | "CANCELED"): Predicted {
    if (debit.status === status) return [200];
    const isOver = debit.status === "TERMINAL_FAILED" || debit.status === "CANCELED";
    const isLate = debit.status === "SUCCEEDED" && status === "CANCELED";
    if (isOver || isLate) return [409, "INVALID_TRANSITION"];
    debit.status = status;
    this.#tellDebit(status === "CANCELED" ? "payment.canceled" : "payment.failed", debit);
    for (const refund of this.#waiting(debit)) this.#enter(refund, "TERMINAL_FAILED", NOT_DEBITED);
    return [200];
  }

  cover(debit: Debit): Predicted {
    debit.covered = true;
    for (const refund of this.#waiting(debit)) this.#enter(refund, "TERMINAL_FAILED", NOT_DEBITED);
    return [200];
  }

  return(refund: Refund): Predicted {
    if (!this.lateReturn) return [422, "LATE_RETURN_UNSUPPORTED"];
    if (refund.status !== "AUTHORIZED") return [409, "INVALID_TRANSITION"];
    this.#enter(refund, "TERMINAL_FAILED", RETURNED);
    return [200];
  }

  /** Of an amount that is one. What is predicted with 201 has still to be `asked`. */
  ask({ key, paymentId, cents }: RefundAsk): Predicted {
    if (this.isTaken(key)) return [409, "DUPLICATE_REQUEST_KEY"];
    if (this.refunds.some(({ id }) => id === paymentId)) return [422, "PAYMENT_NOT_REFUNDABLE"];
    const debit = this.debits.find(({ id }) => id === paymentId);
    if (debit === undefined) return [404, "PAYMENT_NOT_FOUND"];
    if (isLost(debit)) return [201];
    const left = this.left(debit);
    if (left === 0) return [422, "PAYMENT_ALREADY_REFUNDED"];
    return cents > left ? [422, "REFUND_AMOUNT_EXCEEDS_REMAINING"] : [201];
  }

  asked(ask: RefundAsk, id: string): Refund {
    const of = this.debits.find((debit) => debit.id === ask.paymentId);
    if (of === undefined) throw new Error("a refund of nothing was predicted");
    const refund: Refund = { id, ask, of, status: "PENDING", dueAt: undefined, reason: undefined };
    this.refunds.push(refund);
    if (of.settledAt !== undefined) refund.dueAt = thresholdOf(of.settledAt);
    if (isLost(of)) this.#enter(refund, "TERMINAL_FAILED", NOT_DEBITED);
    else this.#enter(refund, this.now >= (refund.dueAt ?? Infinity) ? "AUTHORIZED" : "PENDING");
    return refund;
  }

  /** @returns The instants at which something was due. */
  moveTo(to: number): number[] {
    const due = this.refunds.filter(
      ({ status, dueAt }) => status === "PENDING" && dueAt !== undefined && dueAt <= to,
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
      .filter(({ of, status }) => of === debit && status !== "TERMINAL_FAILED")
      .reduce((rest, { ask }) => rest - ask.cents, debit.cents);
  }

  #waiting(debit: Debit): Refund[] {
    return this.refunds.filter(({ of, status }) => of === debit && status === "PENDING");
  }

  #enter(refund: Refund, status: Refund["status"], reason?: Refund["reason"]): void {
    const names = {
      PENDING: "pending",
      AUTHORIZED: "authorized",
      TERMINAL_FAILED: "failed",
    } as const;
    Object.assign(refund, { status, reason, ...(status !== "PENDING" && { dueAt: undefined }) });
    this.#tell(`refund.${names[status]}`, refundData(refund));
  }

  #tellDebit(type: string, debit: Debit): void {
    this.#tell(type, debitData(debit, this.customerId));
  }

  #tell(type: string, data: object): void {
    this.events.push({ type, at: this.now, data });
    this.subscribers.tell(type, this.events.length - 1);
  }
}

function isLost({ status, covered }: Debit): boolean {
  return covered || status === "TERMINAL_FAILED" || status === "CANCELED";
}
