import { useState } from "preact/hooks";
import { addressOf, useAction, useInspector, useReading, type Inspector } from "../context.ts";
import { ActionButton, Refusal } from "../parts.tsx";
import type { Customer, Due, Progress } from "../shapes.ts";

/** The next steps of a newcomer, which tick themselves. */
export function Start({ onSend }: { readonly onSend: () => void }) {
  const inspector = useInspector();
  const { about, openFaults } = inspector;
  const action = useAction();
  const { value } = useReading<Progress>("/sandbox/inspect/progress");
  const [step, setStep] = useState("");
  const steps = [
    {
      isDone: value?.hasEndpoint,
      title: "Add your endpoint",
      rest: (
        <>
          {about.target === null ? "Add your app's URL under " : "It is subscribed; see "}
          <a href={addressOf("endpoints")}>Endpoints</a>.
        </>
      ),
    },
    {
      isDone: value?.hasEvent,
      title: "Send a test event",
      rest: (
        <button type="button" onClick={onSend}>
          Choose an event
        </button>
      ),
    },
    { isDone: value?.isReached, title: "Your endpoint answers", rest: "Any status counts." },
    {
      isDone: value?.isAccepted,
      title: "Your app accepts the signature",
      rest: "It answers 2xx. If it does not, open the event: it says why.",
    },
    {
      isDone: value?.hasRetried,
      title: "Make it fail and watch the retries",
      rest: (
        <button type="button" onClick={openFaults}>
          Open the faults
        </button>
      ),
    },
  ];
  return (
    <div class="start">
      <h2>Next steps</h2>
      <ol class="steps">
        {steps.map(({ isDone = false, title, rest }) => (
          <li key={title} class={isDone ? "done" : ""}>
            <span class="tick" role="img" aria-label={isDone ? "done" : "to do"}>
              {isDone ? "✓" : ""}
            </span>
            <div>
              <strong>{title}</strong>
              {!isDone && <p>{rest}</p>}
            </div>
          </li>
        ))}
      </ol>
      {about.hasPayments && (
        <div class="card">
          <h3>The refund story</h3>
          <p>
            Refunds 10.50 USD of a payment that has just settled, then moves the clock{" "}
            {about.businessDays} business days ahead: the refund goes from PENDING to AUTHORIZED.
          </p>
          <ActionButton
            action={action}
            label="Run the refund story"
            isPrimary
            onRun={() => runRefundStory(inspector, setStep)}
          />
          <p role="status">{step}</p>
          <Refusal text={action.refusal} />
        </div>
      )}
      <p class="keys">
        <kbd>Ctrl</kbd> <kbd>K</kbd> searches everything. Select an event to see its payload,
        attempts and signature.
      </p>
    </div>
  );
}

async function runRefundStory(
  { remote, moveClock, about }: Inspector,
  onStep: (text: string) => void,
): Promise<void> {
  const customerId = await linkedCustomer(remote);
  onStep("A customer pays 25.00 USD…");
  const { paymentId } = await remote.send<{ paymentId: string }>(
    "POST",
    "/sandbox/payments",
    `{"customerId":${JSON.stringify(customerId)},"amount":{"currency":"USD","value":25.00}}`,
  );
  await remote.send("POST", `/sandbox/payments/${paymentId}/settle`);
  onStep("…and gets 10.50 USD back, which waits.");
  const order = `{"paymentId":"${paymentId}","amount":{"currency":"USD","value":10.50},"requestKey":"story-${crypto.randomUUID()}"}`;
  await remote.send("POST", "/v1/refunds", order);
  location.hash = addressOf("payments", paymentId);
  const { businessDays } = await remote.get<Due>("/sandbox/inspect/due");
  const to = businessDays[about.businessDays - 1]?.at;
  if (to !== undefined) await moveClock(to);
}

/** Returns the id of a customer with an account, a new one if necessary. */
async function linkedCustomer(remote: Inspector["remote"]): Promise<string> {
  const path = "/sandbox/customers?limit=1000";
  const { customers } = await remote.get<{ customers: readonly Customer[] }>(path);
  const known = customers.find(
    ({ accountDetails, customerStatus }) => accountDetails && customerStatus === "ACTIVE",
  );
  if (known !== undefined) return known.id;
  const { id } = await remote.send<Customer>("POST", "/sandbox/customers");
  await remote.send("POST", `/sandbox/customers/${id}/link`);
  await remote.send("POST", `/sandbox/customers/${id}/activate`);
  return id;
}
