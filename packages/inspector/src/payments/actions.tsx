import { useState } from "preact/hooks";
import { useAction, useInspector, type Action, type Inspector } from "../context.ts";
import { ActionButton, Refusal } from "../parts.tsx";
import type { Payment, PaymentDetail } from "../shapes.ts";
import { isAmount } from "../words.ts";

interface Choice {
  readonly label: string;
  readonly note?: string;
  /** The reason why it is disabled. */
  readonly reason: string | undefined;
  readonly onRun: () => Promise<unknown>;
}

function Choices({
  title,
  action,
  choices,
}: {
  readonly title: string;
  readonly action: Action;
  readonly choices: readonly Choice[];
}) {
  return (
    <>
      <h2>{title}</h2>
      <ul class="choices">
        {choices.map(({ label, note, reason, onRun }) => (
          <li key={label}>
            <ActionButton action={action} label={label} reason={reason} onRun={onRun} />
            <small>{reason ?? note}</small>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Requests a refund, `amount` in USD. @returns Its id. */
async function makeRefund(
  remote: Inspector["remote"],
  id: string,
  amount: string,
): Promise<string> {
  const key = `inspector-${crypto.randomUUID()}`;
  const order = `{"paymentId":${JSON.stringify(id)},"amount":{"currency":"USD","value":${amount}},"requestKey":"${key}"}`;
  const made = await remote.send<{ paymentId: string }>("POST", "/v1/refunds", order);
  const { refunds } = await remote.get<PaymentDetail>(`/sandbox/inspect/payments/${id}`);
  // The profile decides which id the answer has.
  return refunds.find(({ requestKey }) => requestKey === key)?.id ?? made.paymentId;
}

/** Moves the clock to the threshold of a refund that waits. */
async function waitFor({ remote, moveClock }: Inspector, id: string): Promise<void> {
  const { payment } = await remote.get<PaymentDetail>(`/sandbox/inspect/payments/${id}`);
  if (payment.dueAt !== null) await moveClock(payment.dueAt);
}

const bare = (amount: string): string => amount.replace(/ .*/, "");

/** State changes and scenarios of a payment. A change that the state does not allow is disabled, with the reason. */
export function DebitActions({ detail: { debit, refunds } }: { readonly detail: PaymentDetail }) {
  const inspector = useInspector();
  const { remote, about } = inspector;
  const action = useAction();
  const [amount, setAmount] = useState("1.00");
  const { id, paymentStatus: status, refundable } = debit;
  const move =
    (name: string, body: object = {}) =>
    () =>
      remote.send("POST", `/sandbox/payments/${id}/${name}`, body);
  const isOpen = status === "CREATED" || status === "AUTHORIZED";
  const ended = `The payment is ${status}.`;
  const settle = async (): Promise<void> => {
    if (isOpen) await move("settle")();
  };
  const whole = bare(refundable ?? "0");
  const noRefund = refundable === null ? "Nothing is left to refund." : undefined;
  const open = refunds.find(({ paymentStatus }) => paymentStatus === "AUTHORIZED");
  return (
    <>
      <Choices
        title="Moves"
        action={action}
        choices={[
          {
            label: "Authorize",
            note: "The bank has accepted the debit.",
            reason: status === "CREATED" ? undefined : ended,
            onRun: move("authorize"),
          },
          {
            label: "Settle",
            note: "The money has arrived.",
            reason: isOpen ? undefined : ended,
            onRun: move("settle"),
          },
          {
            label: "Fail",
            note: "Refunds that wait fail with it.",
            reason: isOpen || status === "SUCCEEDED" ? undefined : ended,
            onRun: move("fail"),
          },
          {
            label: "Cancel",
            reason: isOpen ? undefined : ended,
            onRun: move("fail", { status: "CANCELED" }),
          },
          {
            label: "Cover",
            note: "The service pays although the customer was not debited.",
            reason: debit.covered
              ? "It is covered."
              : isOpen || status === "SUCCEEDED"
                ? undefined
                : ended,
            onRun: move("cover"),
          },
        ]}
      />
      <Choices
        title="Scenarios"
        action={action}
        choices={[
          {
            label: "Refund in full",
            note: refundable ?? "",
            reason: noRefund,
            onRun: () => makeRefund(remote, id, whole),
          },
          {
            label: `Refund, then ${String(about.businessDays)} business days`,
            note: "PENDING, then AUTHORIZED at the threshold.",
            reason: noRefund,
            onRun: async () => {
              await settle();
              await waitFor(inspector, await makeRefund(remote, id, whole));
            },
          },
          {
            label: "Refund, then the payment fails",
            note: "The refund that waits becomes TERMINAL_FAILED.",
            reason: noRefund,
            onRun: async () => {
              await makeRefund(remote, id, whole);
              await move("fail")();
            },
          },
          {
            label: "Late return of a refund",
            note: `AUTHORIZED, then returned by the bank as TERMINAL_FAILED. Rare: test that your app copes.`,
            reason: open === undefined ? noRefund : undefined,
            onRun: async () => {
              await settle();
              const refundId = open?.id ?? (await makeRefund(remote, id, whole));
              await waitFor(inspector, refundId);
              await remote.send("POST", `/sandbox/inspect/payments/${refundId}/return`);
            },
          },
        ]}
      />
      <form
        class="inline"
        onSubmit={(event) => {
          event.preventDefault();
          void action.run(() => makeRefund(remote, id, amount));
        }}
      >
        <label>
          Refund in USD{" "}
          <input
            inputmode="decimal"
            value={amount}
            aria-invalid={!isAmount(amount)}
            onInput={({ currentTarget }) => setAmount(currentTarget.value)}
          />
        </label>
        <button
          type="submit"
          disabled={
            !isAmount(amount) || refundable === null || action.isBusy || inspector.isOffline
          }
        >
          Refund
        </button>
      </form>
      <Refusal text={action.refusal} />
    </>
  );
}

/** Scenarios of a refund. */
export function RefundActions({ detail: { payment, debit } }: { readonly detail: PaymentDetail }) {
  const inspector = useInspector();
  const { remote } = inspector;
  const action = useAction();
  const { paymentStatus: status } = payment;
  const isFinal = `The refund is ${status}.`;
  return (
    <>
      <Choices
        title="Scenarios"
        action={action}
        choices={[
          {
            label: "Wait until it is AUTHORIZED",
            note: "Moves the clock to the threshold.",
            reason: waitReason(payment, debit),
            onRun: () => waitFor(inspector, payment.id),
          },
          {
            label: "The payment fails first",
            note: "The refund becomes TERMINAL_FAILED.",
            reason: status === "PENDING" ? undefined : isFinal,
            onRun: () => remote.send("POST", `/sandbox/payments/${debit.id}/fail`),
          },
          {
            label: "Late return",
            note: "The bank returns the refund. Rare: test that your app copes.",
            reason:
              status === "AUTHORIZED"
                ? undefined
                : status === "PENDING" && payment.dueAt !== null
                  ? undefined
                  : isFinal,
            onRun: async () => {
              await waitFor(inspector, payment.id);
              await remote.send("POST", `/sandbox/inspect/payments/${payment.id}/return`);
            },
          },
        ]}
      />
      <Refusal text={action.refusal} />
    </>
  );
}

function waitReason({ paymentStatus, dueAt }: Payment, debit: Payment): string | undefined {
  if (paymentStatus !== "PENDING") return `The refund is ${paymentStatus}.`;
  return dueAt === null ? `The payment is ${debit.paymentStatus}: settle it first.` : undefined;
}
