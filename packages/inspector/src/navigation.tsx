import { useEffect, useRef } from "react";
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
  const present = useRef<HTMLAnchorElement>(null);
  // A narrow page shows a part of the row alone.
  useEffect(() => {
    present.current?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [view]);
  return (
    <nav aria-label="Views">
      {views.map((one) => (
        <a
          key={one}
          ref={one === view ? present : null}
          href={addressOf(one)}
          aria-current={one === view ? "page" : undefined}
        >
          {names[one]}
        </a>
      ))}
    </nav>
  );
}
