import type { Profile } from "@countersign/schemas";
import type { Reading, Session } from "../../harness/session.ts";

/** A refund request, its amount as the text of a JSON value. */
export interface RefundCall {
  readonly paymentId: string;
  readonly amount: string;
  readonly requestKey: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** `POST /v1/refunds`, with the amount's text untouched. */
export function askRefund(
  session: Session,
  { paymentId, amount, requestKey, more = {} }: RefundCall,
): Promise<Reading> {
  const members = Object.entries({ paymentId, requestKey, ...more }).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  const text = `{"amount":{"currency":"USD","value":${amount}},${members.join(",")}}`;
  return session.call("POST", "/v1/refunds", { text });
}

/** Cents as the text of an amount, with two digits. */
export function amountText(cents: bigint): string {
  return `${String(cents / 100n)}.${String(cents % 100n).padStart(2, "0")}`;
}

/** Whether a refund record was made. */
export function isCreated({ status }: Reading, { statuses }: Profile): boolean {
  return status === statuses.refundCreated;
}

/** `status code` of a refusal, or the refund's state: what a message shows of an answer. */
export function shown({ status, body }: Reading): string {
  const details = body["errorDetails"];
  const code =
    typeof details === "object" && details !== null && "errorCode" in details
      ? details.errorCode
      : body["errorCode"];
  const words = [body["paymentStatus"], code].filter((one) => typeof one === "string");
  return [String(status), ...words].join(" ");
}
