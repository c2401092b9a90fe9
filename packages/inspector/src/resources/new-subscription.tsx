import { useState } from "react";
import { useInspector } from "../inspector-context.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { CurlLine } from "../parts/curl-line.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { useAction } from "../parts/use-action.ts";
import { addressOf } from "../parts/use-place.ts";
import { ChooseEvents, detailsOf, type Details } from "./choose-events.tsx";

/** Subscribes the one address that the command line names. */
export function NewSubscription() {
  const { about } = useInspector();
  const action = useAction();
  const [details, setDetails] = useState<Details>({ type: "ALL", details: [] });
  const body = { subscriptionDetails: detailsOf(details) };
  if (about.target === null) {
    return (
      <article>
        <h1>Subscribe from a shell</h1>
        <p>
          This page subscribes one address alone, the one of <code>--deliver-to</code>, and the
          sandbox was started without. From a shell any address can be subscribed:
        </p>
        <CurlLine
          method="POST"
          path="/v1/webhook/subscribe"
          body={
            '{"url":"http://localhost:3000/webhooks","secretKey":"a-secret-of-your-own-choice","subscriptionDetails":{"type":"ALL"}}'
          }
        />
      </article>
    );
  }
  return (
    <article>
      <h1>A new subscription</h1>
      <p>
        Events go to <code>{about.target.url}</code>, the address of <code>--deliver-to</code>; this
        page cannot name another one.
      </p>
      <ChooseEvents value={details} onChange={setDetails} />
      <div className="buttons">
        <ActionButton
          action={action}
          label="subscribe"
          path="/sandbox/inspect/subscriptions"
          body={body}
          isPrimary
          isOff={details.type !== "ALL" && details.details.length === 0}
          onDone={({ subscriptionKey }) =>
            (location.hash = addressOf("subscriptions", String(subscriptionKey)))
          }
        />
      </div>
      <Refusal action={action} />
      <CurlLine method="POST" path="/sandbox/inspect/subscriptions" body={JSON.stringify(body)} />
    </article>
  );
}
