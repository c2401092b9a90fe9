import { useState } from "preact/hooks";
import { addressOf, useAction, useInspector, useReading } from "./context.ts";
import { Dialog, Split, Table, type Column } from "./layout.tsx";
import { ActionButton, Facts, Refusal, SandboxTime, WordBadge } from "./parts.tsx";
import type { Customer } from "./shapes.ts";
import { shortId } from "./words.ts";

const PATH = "/sandbox/customers";

/** Customers, and the one that is selected. */
export function CustomersView({ selected }: { readonly selected: string | undefined }) {
  const { value, refusal } = useReading<{ customers: readonly Customer[] }>(`${PATH}?limit=1000`);
  const [isNew, setNew] = useState(false);
  const [wanted, setWanted] = useState("");
  const customers = value?.customers ?? [];
  const chosen = customers.find(({ id }) => id === selected);
  const text = wanted.trim().toLowerCase();
  const shown = customers.filter(({ id, firstName, lastName, email }) =>
    `${id} ${firstName} ${lastName} ${email}`.toLowerCase().includes(text),
  );
  return (
    <Split
      title="Customers"
      back={addressOf("customers")}
      isDetail={selected !== undefined}
      list={
        <>
          <div class="list-head">
            <div class="filters" role="search" aria-label="Filter customers">
              <input
                type="search"
                aria-label="Search these customers"
                placeholder="Name, e-mail or id"
                value={wanted}
                onInput={({ currentTarget }) => setWanted(currentTarget.value)}
              />
            </div>
            <button type="button" class="primary" onClick={() => setNew(true)}>
              New customer
            </button>
          </div>
          <p class="counted" role="status">
            {value === undefined ? "…" : `${String(shown.length)} of ${String(customers.length)}`}
          </p>
          <Refusal text={refusal} />
          <Table
            caption="Customers"
            columns={columns}
            rows={shown}
            keyOf={({ id }) => id}
            isSelected={({ id }) => id === selected}
          />
          {value !== undefined && shown.length === 0 && <p class="nothing">No customer here.</p>}
        </>
      }
    >
      {selected === undefined ? (
        <p class="hint">Select a customer to link an account or change its status.</p>
      ) : chosen === undefined ? (
        <p>{value === undefined ? "…" : `No such customer: ${selected}`}</p>
      ) : (
        <CustomerView key={chosen.id} customer={chosen} />
      )}
      {isNew && <NewCustomer onClose={() => setNew(false)} />}
    </Split>
  );
}

const columns: readonly Column<Customer>[] = [
  { name: "Status", cell: (one) => <WordBadge word={one.customerStatus} /> },
  {
    name: "Name",
    kind: "c-type",
    cell: (one) => (
      <a href={addressOf("customers", one.id)}>
        {one.firstName} {one.lastName}
      </a>
    ),
  },
  { name: "Id", cell: ({ id }) => <code title={id}>{shortId(id)}</code> },
  { name: "E-mail", kind: "c-response", cell: ({ email }) => email },
  {
    name: "Account",
    kind: "c-attempts",
    cell: ({ accountDetails }) => (accountDetails ? "linked" : "none"),
  },
];

function CustomerView({ customer }: { readonly customer: Customer }) {
  const { remote, about } = useInspector();
  const action = useAction();
  const { id, customerStatus: status, accountDetails } = customer;
  const [type, setType] = useState(about.accountTypes[0] ?? "");
  const move =
    (name: string, body: object = {}) =>
    () =>
      remote.send("POST", `${PATH}/${id}/${name}`, body);
  const reasonFor = (to: string): string | undefined =>
    about.customerMoves.some((one) => one.from === status && one.to === to)
      ? undefined
      : `A customer in ${status} cannot become ${to}.`;
  return (
    <article>
      <header class="event-head">
        <WordBadge word={status} />
        <h1>
          {customer.firstName} {customer.lastName}
        </h1>
        <code class="id">{id}</code>
      </header>
      <div class="buttons">
        <ActionButton
          action={action}
          label="Activate"
          reason={reasonFor("ACTIVE")}
          onRun={move("activate")}
        />
        <ActionButton
          action={action}
          label="Deactivate"
          reason={reasonFor("INACTIVE")}
          onRun={move("deactivate")}
        />
        <ActionButton
          action={action}
          label="Unlink the account"
          reason={accountDetails === undefined ? "No account is linked." : undefined}
          onRun={move("unlink")}
        />
      </div>
      <div class="inline">
        <label>
          Account type{" "}
          <select value={type} onChange={({ currentTarget }) => setType(currentTarget.value)}>
            {about.accountTypes.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <ActionButton
          action={action}
          label={accountDetails === undefined ? "Link an account" : "Link another account"}
          onRun={move("link", { accountType: type })}
        />
      </div>
      <Refusal text={action.refusal} />
      <Facts
        rows={[
          ["E-mail", customer.email],
          ["Created", <SandboxTime key="at" at={customer.creationDate} form="long" />],
          ...Object.entries(accountDetails ?? {}).map(
            ([name, value]) => [name, String(value)] as const,
          ),
        ]}
      />
    </article>
  );
}

function NewCustomer({ onClose }: { readonly onClose: () => void }) {
  const { remote } = useInspector();
  const action = useAction();
  const [given, setGiven] = useState({
    firstName: "Ada",
    lastName: "Sample",
    email: "ada.sample@example.test",
  });
  const fields = [
    ["firstName", "First name"],
    ["lastName", "Last name"],
    ["email", "E-mail"],
  ] as const;
  const create = async (): Promise<void> => {
    const { id } = await remote.send<Customer>("POST", PATH, given);
    location.hash = addressOf("customers", id);
    onClose();
  };
  return (
    <Dialog title="New customer" onClose={onClose}>
      <div class="form">
        {fields.map(([name, label]) => (
          <label key={name}>
            {label}
            <input
              value={given[name]}
              onInput={({ currentTarget }) => setGiven({ ...given, [name]: currentTarget.value })}
            />
          </label>
        ))}
      </div>
      <ActionButton action={action} label="Create" isPrimary onRun={create} />
      <Refusal text={action.refusal} />
    </Dialog>
  );
}
