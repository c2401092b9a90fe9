import { memo } from "react";
import { ChecksView } from "./checks/checks-view.tsx";
import { FaultsView } from "./faults/faults-view.tsx";
import type { Place } from "./parts/use-place.ts";
import { ReceiverView } from "./receiver/receiver-view.tsx";
import { CustomersView } from "./resources/customers-view.tsx";
import { PaymentsView } from "./resources/payments-view.tsx";
import { SubscriptionsView } from "./resources/subscriptions-view.tsx";
import { TimelineView } from "./timeline/timeline-view.tsx";

/** The view of a place; drawn again when it is another place, not when something has happened. */
export const ViewOf = memo(function ViewOf({ place: { view, id } }: { readonly place: Place }) {
  switch (view) {
    case "timeline":
      return <TimelineView selected={id} />;
    case "payments":
      return <PaymentsView selected={id} />;
    case "customers":
      return <CustomersView selected={id} />;
    case "subscriptions":
      return <SubscriptionsView selected={id} />;
    case "receiver":
      return <ReceiverView />;
    case "checks":
      return <ChecksView selected={id} />;
    case "faults":
      return <FaultsView />;
    default:
      return view satisfies never;
  }
});
