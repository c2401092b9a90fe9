import type { ComponentChildren } from "preact";
import { addressOf, useEndpoints, useInspector } from "../context.ts";
import { Code } from "../parts.tsx";
import type { EventPage } from "../shapes.ts";

interface StartProps {
  /** The list of events next to the steps. */
  readonly page: EventPage | undefined;
  readonly onSend: () => void;
}

/** The next steps of a newcomer, which tick themselves. */
export function Start(props: StartProps) {
  const { mode } = useInspector().about;
  return (
    <div class="start">
      <h2>Next steps</h2>
      {mode === "sandbox" ? <OfSandbox {...props} /> : <OfListen {...props} />}
      <p class="soft">
        Select an event to see why it failed, its payload, attempts and signature. <kbd>Ctrl</kbd>{" "}
        <kbd>K</kbd> searches everything.
      </p>
    </div>
  );
}

function OfSandbox({ page, onSend }: StartProps) {
  const { about, openFaults } = useInspector();
  const { value: endpoints = [] } = useEndpoints();
  const { rows = [], counts = {} } = page ?? {};
  return (
    <ol class="steps">
      <Step isDone={endpoints.length > 0} title="Add your endpoint">
        {about.target === null ? "Add your app's URL under " : "It is subscribed; see "}
        <a href={addressOf("endpoints")}>Endpoints</a>.
      </Step>
      <Step isDone={rows.some(({ deliveryId }) => deliveryId !== null)} title="Send a test event">
        <button type="button" onClick={onSend}>
          Choose an event
        </button>
      </Step>
      <Step
        isDone={rows.some(({ lastStatus }) => lastStatus !== null)}
        title="Your endpoint answers"
      >
        Any status counts.
      </Step>
      <Step isDone={(counts.delivered ?? 0) > 0} title="Your app accepts the signature">
        It answers 2xx. If it does not, open the event: it says why.
      </Step>
      <Step
        isDone={rows.some(({ attempts }) => (attempts ?? 0) > 1)}
        title="Make it fail and watch the retries"
      >
        <button type="button" onClick={openFaults}>
          Open the faults
        </button>
      </Step>
    </ol>
  );
}

function OfListen({ page }: StartProps) {
  const { address = "", endpoints = [], events, fingerprint, provider } = useInspector().about;
  return (
    <>
      <ol class="steps">
        <Step isDone={true} title={`${provider.title} is relayed to your app`}>
          {endpoints.join(", ")}
        </Step>
        <Step isDone={fingerprint != null} title="The secret of the endpoint is known">
          Restart with COUNTERSIGN_SECRET to see why signatures fail and to send events again.{" "}
          {provider.secret?.where !== undefined &&
            `${provider.title} shows it: ${provider.secret.where}.`}
        </Step>
        <Step isDone={(page?.total ?? 0) > 0} title="The first request arrives">
          Point your tunnel here and {provider.title} at your tunnel, or send one yourself:
          <Code label="Address" text={address} />
          <Code
            label="A genuine event"
            text={`countersign send ${events[0]?.type ?? "TYPE"} --provider ${provider.name} --url ${address}`}
          />
        </Step>
      </ol>
    </>
  );
}

function Step({
  isDone = false,
  title,
  children,
}: {
  readonly isDone: boolean | undefined;
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <li class={isDone ? "done" : ""}>
      <span class="tick" role="img" aria-label={isDone ? "done" : "to do"}>
        {isDone ? "✓" : ""}
      </span>
      <div>
        <strong>{title}</strong>
        {!isDone && <div class="soft">{children}</div>}
      </div>
    </li>
  );
}
