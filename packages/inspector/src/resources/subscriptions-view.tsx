import { ListRow } from "../parts/list-row.tsx";
import { SplitView } from "../parts/split-view.tsx";
import { useReading } from "../parts/use-reading.ts";
import type { Subscription } from "../remote/shapes.ts";
import { NewSubscription } from "./new-subscription.tsx";
import { SubscriptionView } from "./subscription-view.tsx";

/** Subscriptions, and one of them. */
export function SubscriptionsView({ selected }: { readonly selected: string | undefined }) {
  const path = "/sandbox/subscriptions?limit=200";
  const reading = useReading<{ subscriptions: readonly Subscription[] }>(path);
  const subscriptions = reading.at === "read" ? reading.value.subscriptions : [];
  const subscription = subscriptions.find(({ subscriptionKey }) => subscriptionKey === selected);
  return (
    <SplitView
      view="subscriptions"
      title="Subscriptions"
      make="a new subscription"
      selected={selected}
      list={
        <>
          {subscriptions.map((one) => (
            <ListRow
              key={one.subscriptionKey}
              view="subscriptions"
              id={one.subscriptionKey}
              isSelected={one.subscriptionKey === selected}
              title={one.url}
              status={one.status}
              note={
                one.consecutiveFailures === 0 ? "" : `${String(one.consecutiveFailures)} failures`
              }
            />
          ))}
          {reading.at === "read" && subscriptions.length === 0 && (
            <p className="note inset">No subscriptions yet: events go nowhere.</p>
          )}
        </>
      }
    >
      {subscription === undefined ? (
        <NewSubscription />
      ) : (
        <SubscriptionView key={subscription.subscriptionKey} subscription={subscription} />
      )}
    </SplitView>
  );
}
