import { addressOf, views, type View } from "./parts/use-place.ts";

const names: Readonly<Record<View, string>> = {
  timeline: "Timeline",
  payments: "Payments",
  customers: "Customers",
  subscriptions: "Subscriptions",
  receiver: "Receiver",
  checks: "Checks",
  faults: "Faults",
};

export function Navigation({ view }: { readonly view: View }) {
  return (
    <nav aria-label="Views">
      {views.map((one) => (
        <a key={one} href={addressOf(one)} aria-current={one === view ? "page" : undefined}>
          {names[one]}
        </a>
      ))}
    </nav>
  );
}
