import { useState } from "preact/hooks";
import { useAction, useInspector, type Inspector } from "../context.ts";
import { Field } from "../fields.tsx";
import { ActionButton, Refusal } from "../parts.tsx";
import type { PaymentDetail } from "../shapes.ts";
import { isAmount } from "../words.ts";

interface Move {
  readonly label: string;
  readonly note: string;
  /** The reason why it is disabled. */
  readonly reason: string | undefined;
  readonly onRun: () => Promise<unknown>;
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
  const { refunds } = await remote.get<PaymentDetail>(`/sandbox/payments/${id}`);
  // The profile decides which id the answer has.
  return refunds.find(({ requestKey }) => requestKey === key)?.paymentId ?? made.paymentId;
}

/** Moves the clock to the threshold of a refund that waits. */
async function waitFor({ remote, moveClock }: Inspector, id: string): Promise<void> {
  const { payment } = await remote.get<PaymentDetail>(`/sandbox/payments/${id}`);
  if (payment.eligibleAt != null) await moveClock(payment.eligibleAt);
}

/** State changes and scenarios of a payment or a refund. One that the state does not allow is disabled, with the reason. */
export function Moves({ detail }: { readonly detail: PaymentDetail }) {
  const inspector = useInspector();
  const action = useAction();
  const isRefund = detail.payment.direction === "CREDIT";
  const moves = isRefund ? refundMoves(inspector, detail) : debitMoves(inspector, detail);
  return (
    <>
      <ul class="plain">
        {moves.map(({ label, note, reason, onRun }) => (
          <li key={label} class="inline">
            <ActionButton action={action} label={label} reason={reason} onRun={onRun} />
            <small>{reason ?? note}</small>
          </li>
        ))}
      </ul>
      {!isRefund && <RefundForm detail={detail} />}
      <Refusal text={action.refusal} />
    </>
  );
}

function RefundForm({ detail: { debit } }: { readonly detail: PaymentDetail }) {
  const { remote, isOffline } = useInspector();
  const action = useAction();
  const [amount, setAmount] = useState(debit.refundable ?? "");
  const isUsable = isAmount(amount) && debit.refundable != null;
  return (
    <>
      <form
        class="inline"
        onSubmit={(event) => {
          event.preventDefault();
          void action.run(() => makeRefund(remote, debit.paymentId, amount));
        }}
      >
        <Field
          label="Refund in USD"
          kind="decimal"
          value={amount}
          isWrong={!isUsable}
          onValue={setAmount}
        />
        <button type="submit" disabled={!isUsable || action.isBusy || isOffline}>
          Refund
        </button>
      </form>
      <Refusal text={action.refusal} />
    </>
  );
}

function debitMoves(inspector: Inspector, { debit, refunds }: PaymentDetail): readonly Move[] {
  const { remote, about } = inspector;
  const { paymentId: id, paymentStatus: status, refundable } = debit;
  const move =
    (name: string, body: object = {}) =>
    () =>
      remote.send("POST", `/sandbox/payments/${id}/${name}`, body);
  const isOpen = status === "CREATED" || status === "AUTHORIZED";
  const ended = `The payment is ${status}.`;
  const unlessOpen = isOpen ? undefined : ended;
  const unlessPaid = isOpen || status === "SUCCEEDED" ? undefined : ended;
  const noRefund = refundable == null ? "Nothing is left to refund." : undefined;
  const authorized = refunds.find(({ paymentStatus }) => paymentStatus === "AUTHORIZED");
  /** Refunds what is left of the settled payment, and waits until the refund is AUTHORIZED. */
  const refundAndWait = async (): Promise<string> => {
    if (isOpen) await move("settle")();
    const refundId = await makeRefund(remote, id, refundable ?? "0");
    await waitFor(inspector, refundId);
    return refundId;
  };
  return [
    {
      label: "Authorize",
      note: "The bank has accepted the debit.",
      reason: status === "CREATED" ? undefined : ended,
      onRun: move("authorize"),
    },
    {
      label: "Settle",
      note: "The money has arrived.",
      reason: unlessOpen,
      onRun: move("settle"),
    },
    {
      label: "Fail",
      note: "Refunds that wait fail with it.",
      reason: unlessPaid,
      onRun: move("fail"),
    },
    {
      label: "Cancel",
      note: "Before the bank has decided.",
      reason: unlessOpen,
      onRun: move("fail", { status: "CANCELED" }),
    },
    {
      label: "Cover",
      note: "The service pays although the customer was not debited.",
      reason: debit.covered ? "It is covered." : unlessPaid,
      onRun: move("cover"),
    },
    {
      label: `Refund, then ${String(about.businessDays)} business days`,
      note: "PENDING, then AUTHORIZED at the threshold.",
      reason: noRefund,
      onRun: refundAndWait,
    },
    {
      label: "Late return of a refund",
      note: "AUTHORIZED, then returned by the bank as TERMINAL_FAILED. Rare: test that your app copes.",
      reason: authorized === undefined ? noRefund : undefined,
      onRun: async () => {
        const refundId = authorized?.paymentId ?? (await refundAndWait());
        await remote.send("POST", `/sandbox/payments/${refundId}/return`);
      },
    },
  ];
}

function refundMoves(inspector: Inspector, { payment, debit }: PaymentDetail): readonly Move[] {
  const { paymentId: id, paymentStatus: status, eligibleAt } = payment;
  const isWaiting = status === "PENDING" && eligibleAt != null;
  const unsettled = `The payment is ${debit.paymentStatus}: settle it first.`;
  const reason = status === "PENDING" ? unsettled : `The refund is ${status}.`;
  return [
    {
      label: "Wait until it is AUTHORIZED",
      note: "Moves the clock to the threshold.",
      reason: isWaiting ? undefined : reason,
      onRun: () => waitFor(inspector, id),
    },
    {
      label: "Late return",
      note: "The bank returns the refund. Rare: test that your app copes.",
      reason: isWaiting || status === "AUTHORIZED" ? undefined : reason,
      onRun: async () => {
        await waitFor(inspector, id);
        await inspector.remote.send("POST", `/sandbox/payments/${id}/return`);
      },
    },
  ];
}
