import { addressOf, changed, useReading, type Place } from "../context.ts";
import { Pager, Split, Table, type Column } from "../layout.tsx";
import { SearchField } from "../events/filters.tsx";
import { Choice } from "../fields.tsx";
import { Refusal, Time, WordBadge } from "../parts.tsx";
import type { Payment, PaymentPage } from "../shapes.ts";
import { amountText, shortId } from "../words.ts";
import { PaymentView } from "./detail.tsx";

/** Rows of a page. */
const LIMIT = 50;
const statuses = ["CREATED", "AUTHORIZED", "SUCCEEDED", "PENDING", "TERMINAL_FAILED", "CANCELED"];

/** Payments and refunds, the newest first, and the one that is selected. */
export function PaymentsView({ place: { id, query } }: { readonly place: Place }) {
  const { value: page, refusal } = useReading<PaymentPage>(
    `/sandbox/payments?limit=${String(LIMIT)}&${query}`,
  );
  const asked = query.get("q") ?? "";
  const rows = page?.payments ?? [];
  return (
    <Split
      title="Payments"
      back={addressOf("payments", undefined, query)}
      isDetail={id !== undefined}
      list={
        <>
          <div class="list-head">
            <div class="filters" role="search" aria-label="Filter payments">
              <SearchField
                view="payments"
                query={query}
                label="Search these payments"
                placeholder="Id, key, reference or customer"
              />
              <Choice
                label="Status"
                isLabelled={false}
                value={query.get("status") ?? ""}
                options={statuses}
                onValue={(status) => {
                  location.hash = addressOf("payments", undefined, changed(query, { status }));
                }}
              />
            </div>
          </div>
          <p class="counted" role="status">
            {page === undefined ? "…" : `${page.count.toLocaleString()} payments and refunds`}
          </p>
          <Refusal text={refusal} />
          <Table
            caption="Payments and refunds, the newest first"
            columns={columnsOf(query)}
            rows={rows}
            keyOf={(row) => row.paymentId}
            isSelected={(row) => row.paymentId === id}
          />
          {page !== undefined && rows.length === 0 && (
            <p class="nothing">{asked === "" ? "No payments yet." : "No payment matches."}</p>
          )}
          <Pager
            view="payments"
            query={query}
            before={rows.length === LIMIT ? (rows.at(-1)?.paymentId ?? null) : null}
          />
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
    </Split>
  );
}

const columnsOf = (query: URLSearchParams): Column<Payment>[] => [
  { name: "Status", cell: ({ paymentStatus }) => <WordBadge word={paymentStatus} /> },
  {
    name: "Amount",
    kind: "c-type",
    cell: (row) => (
      <a href={addressOf("payments", row.paymentId, query)}>
        {row.direction === "CREDIT" ? "Refund " : ""}
        {amountText(row)}
      </a>
    ),
  },
  {
    name: "Id",
    kind: "c-subject",
    cell: ({ paymentId: id }) => <code title={id}>{shortId(id)}</code>,
  },
  {
    name: "Refundable",
    kind: "c-response",
    cell: ({ refundable }) => refundable && `${refundable} USD`,
  },
  { name: "Created", kind: "c-time", cell: ({ creationDate }) => <Time at={creationDate} /> },
];
