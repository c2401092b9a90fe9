import { useEffect, useState } from "preact/hooks";
import {
  addressOf,
  changed,
  replaceAddress,
  useAction,
  useInspector,
  useReading,
  type Place,
} from "../context.ts";
import { Dialog, Pager, Split, Table, type Column } from "../layout.tsx";
import { ActionButton, Refusal, SandboxTime, WordBadge } from "../parts.tsx";
import type { Customer, PaymentPage, PaymentRow } from "../shapes.ts";
import { isAmount, shortId } from "../words.ts";
import { PaymentView } from "./detail.tsx";

const statuses = ["CREATED", "AUTHORIZED", "SUCCEEDED", "PENDING", "TERMINAL_FAILED", "CANCELED"];
const PAUSE_MS = 150;

/** Payments and refunds, the newest first, and the one that is selected. */
export function PaymentsView({ place: { id, query } }: { readonly place: Place }) {
  const { value: page, refusal } = useReading<PaymentPage>(`/sandbox/inspect/payments?${query}`);
  const [isNew, setNew] = useState(false);
  const asked = query.get("q") ?? "";
  const [text, setText] = useState(asked);
  useEffect(() => setText(asked), [asked]);
  useEffect(() => {
    if (text === asked) return undefined;
    const timer = setTimeout(
      () => replaceAddress(addressOf("payments", undefined, changed(query, { q: text }))),
      PAUSE_MS,
    );
    return () => clearTimeout(timer);
  }, [text]);
  const rows = page?.rows ?? [];
  return (
    <Split
      title="Payments"
      back={addressOf("payments", undefined, query)}
      isDetail={id !== undefined}
      list={
        <>
          <div class="list-head">
            <div class="filters" role="search" aria-label="Filter payments">
              <input
                type="search"
                aria-label="Search these payments"
                placeholder="Id, request key, reference or customer"
                spellcheck={false}
                value={text}
                onInput={({ currentTarget }) => setText(currentTarget.value)}
              />
              <select
                aria-label="Status"
                value={query.get("status") ?? ""}
                onChange={({ currentTarget: { value: status } }) => {
                  location.hash = addressOf("payments", undefined, changed(query, { status }));
                }}
              >
                <option value="">Status</option>
                {statuses.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            </div>
            <button type="button" class="primary" onClick={() => setNew(true)}>
              New payment
            </button>
          </div>
          <p class="counted" role="status">
            {page === undefined ? "…" : `${page.count.toLocaleString()} payments and refunds`}
          </p>
          <Refusal text={refusal} />
          <Table
            caption="Payments and refunds, the newest first"
            columns={columnsOf(query)}
            rows={rows}
            keyOf={(row) => row.id}
            isSelected={(row) => row.id === id}
          />
          {page !== undefined && rows.length === 0 && (
            <p class="nothing">{asked === "" ? "No payments yet." : "No payment matches."}</p>
          )}
          <Pager view="payments" query={query} before={page?.before ?? null} />
        </>
      }
    >
      {id === undefined ? (
        <p class="hint">
          Select a payment to move it, refund it, or run a scenario such as a late return.
        </p>
      ) : (
        <PaymentView key={id} id={id} />
      )}
      {isNew && <NewPayment onClose={() => setNew(false)} />}
    </Split>
  );
}

const columnsOf = (query: URLSearchParams): Column<PaymentRow>[] => [
  { name: "Status", cell: ({ status }) => <WordBadge word={status} /> },
  {
    name: "Amount",
    kind: "c-type",
    cell: ({ id, direction, amount }) => (
      <a href={addressOf("payments", id, query)}>
        {direction === "CREDIT" ? "Refund " : ""}
        {amount}
      </a>
    ),
  },
  { name: "Id", kind: "c-subject", cell: ({ id }) => <code title={id}>{shortId(id)}</code> },
  { name: "Refundable", kind: "c-response", cell: ({ refundable }) => refundable },
  {
    name: "Refunds",
    kind: "c-attempts",
    cell: ({ direction, refunds }) => (direction === "DEBIT" ? refunds : ""),
  },
  { name: "Created", kind: "c-time", cell: ({ createdAt }) => <SandboxTime at={createdAt} /> },
];

function NewPayment({ onClose }: { readonly onClose: () => void }) {
  const { remote } = useInspector();
  const action = useAction();
  const { value } = useReading<{ customers: readonly Customer[] }>("/sandbox/customers?limit=1000");
  const linked = (value?.customers ?? []).filter((one) => one.accountDetails !== undefined);
  const [chosen, setChosen] = useState<string>();
  const [amount, setAmount] = useState("10.50");
  const [reference, setReference] = useState("");
  const customerId = chosen ?? linked[0]?.id ?? "";
  const create = async (): Promise<void> => {
    const given = reference === "" ? "" : `,"clientReferenceId":${JSON.stringify(reference)}`;
    const { paymentId } = await remote.send<{ paymentId: string }>(
      "POST",
      "/sandbox/payments",
      `{"customerId":${JSON.stringify(customerId)},"amount":{"currency":"USD","value":${amount}}${given}}`,
    );
    location.hash = addressOf("payments", paymentId);
    onClose();
  };
  return (
    <Dialog title="New payment" onClose={onClose}>
      <div class="form">
        <label>
          Customer
          <select
            value={customerId}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          >
            {linked.map((one) => (
              <option key={one.id} value={one.id}>
                {one.firstName} {one.lastName} · {shortId(one.id)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Amount in USD
          <input
            inputmode="decimal"
            value={amount}
            aria-invalid={!isAmount(amount)}
            onInput={({ currentTarget }) => setAmount(currentTarget.value)}
          />
        </label>
        <label>
          Reference (optional)
          <input
            value={reference}
            onInput={({ currentTarget }) => setReference(currentTarget.value)}
          />
        </label>
      </div>
      {value !== undefined && linked.length === 0 && (
        <p>
          No customer has a linked account. <a href={addressOf("customers")}>Link one first</a>.
        </p>
      )}
      <ActionButton
        action={action}
        label="Create"
        isPrimary
        reason={
          customerId === ""
            ? "A payment needs a customer with a linked account."
            : isAmount(amount)
              ? undefined
              : "The amount needs at most two digits after the point."
        }
        onRun={create}
      />
      <Refusal text={action.refusal} />
    </Dialog>
  );
}
