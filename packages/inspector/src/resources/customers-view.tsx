import { useInspector } from "../inspector-context.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { ListRow } from "../parts/list-row.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { SplitView } from "../parts/split-view.tsx";
import { StateDiagram } from "../parts/state-diagram.tsx";
import { Time } from "../parts/time.tsx";
import { useAction } from "../parts/use-action.ts";
import { useReading } from "../parts/use-reading.ts";
import type { Customer } from "../remote/shapes.ts";
import { LinkAccount } from "./link-account.tsx";
import { NewCustomer } from "./new-customer.tsx";

/** Customers, and one of them. */
export function CustomersView({ selected }: { readonly selected: string | undefined }) {
  const reading = useReading<{ customers: readonly Customer[] }>("/sandbox/customers?limit=200");
  const customers = reading.at === "read" ? reading.value.customers : [];
  const customer = customers.find(({ id }) => id === selected);
  return (
    <SplitView
      view="customers"
      title="Customers"
      make="a new customer"
      selected={selected}
      list={
        <>
          {customers.map((one) => (
            <ListRow
              key={one.id}
              view="customers"
              id={one.id}
              isSelected={one.id === selected}
              title={`${one.firstName} ${one.lastName}`}
              status={one.customerStatus}
              note={one.accountDetails === undefined ? "no account" : "linked"}
            />
          ))}
          {reading.at === "read" && customers.length === 0 && (
            <p className="note inset">No customers yet. Make the first one.</p>
          )}
        </>
      }
    >
      {customer === undefined ? (
        <NewCustomer />
      ) : (
        <CustomerView key={customer.id} customer={customer} />
      )}
    </SplitView>
  );
}

function CustomerView({ customer }: { readonly customer: Customer }) {
  const { about } = useInspector();
  const action = useAction();
  const { id, accountDetails = {} } = customer;
  return (
    <article>
      <h1>
        {customer.firstName} {customer.lastName}
      </h1>
      <p className="facts">
        <span className="mono">{id}</span>
        <span className={`badge ${customer.customerStatus}`}>{customer.customerStatus}</span>
        <span>{customer.email}</span>
        <Time at={customer.creationDate} isLong />
      </p>
      <div className="buttons">
        {["activate", "deactivate", "unlink"].map((move) => (
          <ActionButton
            key={move}
            action={action}
            label={move}
            path={`/sandbox/customers/${id}/${move}`}
          />
        ))}
      </div>
      <Refusal action={action} />
      <h2>States</h2>
      <StateDiagram transitions={about.transitions.customer} present={customer.customerStatus} />
      <h2>Account</h2>
      {customer.accountDetails === undefined && (
        <p className="note">No account is linked: payments need one.</p>
      )}
      <table>
        <tbody>
          {Object.entries(accountDetails).map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{String(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <LinkAccount customerId={id} />
    </article>
  );
}
