import { useState } from "react";
import { ActionButton } from "../parts/action-button.tsx";
import { Code } from "../parts/code.tsx";
import { CurlLine } from "../parts/curl-line.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { Time } from "../parts/time.tsx";
import { useAction } from "../parts/use-action.ts";
import type { Subscription } from "../remote/shapes.ts";
import { ChooseEvents, detailsOf, type Details } from "./choose-events.tsx";

/** One subscription: how its deliveries fare, what it selects, what to leave out. */
export function SubscriptionView({ subscription }: { readonly subscription: Subscription }) {
  const action = useAction();
  const { subscriptionKey, url, status } = subscription;
  const [details, setDetails] = useState<Details>({ type: "CATEGORY", details: [] });
  const body = { subscriptionId: subscriptionKey, subscriptionDetails: detailsOf(details) };
  return (
    <article>
      <h1>{url}</h1>
      <p className="facts">
        <span className="mono">{subscriptionKey}</span>
        <span className={`badge ${status}`}>{status}</span>
        <span>{subscription.consecutiveFailures} failures in a row</span>
        {subscription.lastSuccessAt !== null && (
          <span>
            last success <Time at={subscription.lastSuccessAt} />
          </span>
        )}
      </p>
      <div className="buttons">
        <ActionButton
          action={action}
          label="resume"
          path={`/sandbox/subscriptions/${subscriptionKey}/resume`}
          isOff={status !== "PAUSED"}
        />
      </div>
      <h2>What it selects</h2>
      <Code
        text={JSON.stringify(subscription.selection, null, 2)}
        label="included minus excluded"
      />
      <h2>Exclude</h2>
      <ChooseEvents value={details} onChange={setDetails} />
      <div className="buttons">
        <ActionButton
          action={action}
          label="exclude"
          method="PUT"
          path="/v1/webhook/unsubscribe"
          body={body}
          isOff={details.type !== "ALL" && details.details.length === 0}
        />
      </div>
      <Refusal action={action} />
      <CurlLine method="PUT" path="/v1/webhook/unsubscribe" body={JSON.stringify(body)} />
    </article>
  );
}
