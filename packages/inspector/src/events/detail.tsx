import { useState } from "preact/hooks";
import { addressOf, useAction, useInspector, useReading } from "../context.ts";
import { Menu } from "../layout.tsx";
import {
  ActionButton,
  Ago,
  CopyButton,
  Facts,
  Refusal,
  SandboxTime,
  StatusBadge,
} from "../parts.tsx";
import type { Delivery, EventDetail, PaymentDetail, WrittenEvent } from "../shapes.ts";
import { durationText, shortUrl } from "../words.ts";
import { PaymentTimeline } from "../payments/timeline.tsx";
import { Attempts, Why } from "./attempts.tsx";
import { diagnose, summarize } from "./diagnosis.ts";
import { Payload } from "./payload.tsx";
import { EditCopy } from "./send.tsx";
import { Signature } from "./signature.tsx";
import { curlOf, testOf, type SentRequest } from "./snippets.ts";

/** One event: the state of its delivery, its attempts, payload, signature and payment. */
export function EventDetailView({
  id,
  query,
}: {
  readonly id: string;
  readonly query: URLSearchParams;
}) {
  const { value, refusal } = useReading<EventDetail>(`/sandbox/inspect/events/${id}`);
  if (value === undefined) {
    if (refusal === undefined) return <p aria-busy="true">…</p>;
    return (
      <article>
        <h1>No such event</h1>
        <p>
          <code>{id}</code> is not in this sandbox. A reset removes events.
        </p>
        <Refusal text={refusal} />
      </article>
    );
  }
  const { event, deliveries } = value;
  const delivery =
    deliveries.find(({ deliveryId }) => deliveryId === query.get("delivery")) ?? deliveries[0];
  return (
    <article>
      <header class="event-head">
        {delivery !== undefined && <StatusBadge row={delivery} />}
        <h1>{event.type}</h1>
        <code class="id">{event.id}</code>
        <CopyButton text={event.id} label="Copy" name="Copy the event's id" />
      </header>
      {deliveries.length > 1 && (
        <nav class="tabs small" aria-label="Endpoints of this event">
          {deliveries.map((one) => (
            <a
              key={one.deliveryId}
              href={addressOf("events", id, [
                ...without(query, "delivery"),
                ["delivery", one.deliveryId],
              ])}
              aria-current={one === delivery ? "true" : undefined}
            >
              {shortUrl(one.url)} <StatusBadge row={one} />
            </a>
          ))}
        </nav>
      )}
      <Summary event={event} delivery={delivery} />
      <Tabs event={event} delivery={delivery} query={query} />
    </article>
  );
}

const without = (query: URLSearchParams, name: string): readonly (readonly [string, string])[] =>
  [...query].filter(([one]) => one !== name);

function Summary({
  event,
  delivery,
}: {
  readonly event: WrittenEvent;
  readonly delivery: Delivery | undefined;
}) {
  const { about, remote, moveClock } = useInspector();
  const action = useAction();
  const [isEditing, setEditing] = useState(false);
  const nextAt = delivery?.status === "retrying" ? delivery.nextAt : null;
  const { value: clock } = useReading<{ readonly now: string }>(
    nextAt === null ? undefined : "/sandbox/clock",
  );
  const last = delivery?.attempts.at(-1);
  const diagnosis = last && diagnose(last, about.deadlineSeconds);
  return (
    <>
      <p class={`summary ${diagnosis?.isGood === false ? "bad" : ""}`}>
        {delivery === undefined
          ? "Not sent: no endpoint selected this type when it was written."
          : summarize(delivery, about.deadlineSeconds)}
        {nextAt !== null && clock !== undefined && (
          <>
            {" "}
            Next retry in {durationText((Date.parse(nextAt) - Date.parse(clock.now)) / 1000)} of
            sandbox time, <SandboxTime at={nextAt} />.
          </>
        )}
      </p>
      {diagnosis !== undefined && delivery?.status !== "delivered" && <Why diagnosis={diagnosis} />}
      <div class="buttons">
        {delivery !== undefined && (
          <>
            <ActionButton
              action={action}
              label="Resend"
              isPrimary
              onRun={() => remote.send("POST", `/sandbox/deliveries/${delivery.deliveryId}/replay`)}
            />
            {nextAt !== null && (
              <ActionButton
                action={action}
                label="Retry now (moves the clock)"
                onRun={() => moveClock(nextAt)}
              />
            )}
          </>
        )}
        <CopyMenu event={event} delivery={delivery} />
        <button type="button" onClick={() => setEditing(true)}>
          Edit and send a copy
        </button>
      </div>
      <Refusal text={action.refusal} />
      {isEditing && (
        <EditCopy
          event={event}
          dataPointer={about.envelope.data}
          onClose={() => setEditing(false)}
        />
      )}
    </>
  );
}

function CopyMenu({
  event,
  delivery,
}: {
  readonly event: WrittenEvent;
  readonly delivery: Delivery | undefined;
}) {
  const { about, remote } = useInspector();
  const last = delivery?.attempts.at(-1);
  return (
    <Menu label="Copy">
      {delivery !== undefined && (
        <CopyButton
          label="curl, signed now"
          text={async () => {
            const { deliveryId } = delivery;
            const path = "/sandbox/inspect/signatures/now";
            return curlOf(await remote.send<SentRequest>("POST", path, { deliveryId }));
          }}
        />
      )}
      {delivery?.url != null && last?.headers != null && (
        <CopyButton
          label="curl, as it was sent (old signature)"
          text={curlOf({ url: delivery.url, headers: last.headers, body: event.payload })}
        />
      )}
      <CopyButton label="Vitest test of your receiver" text={testOf(event, about.provider)} />
      <CopyButton label="JSON" text={event.payload} />
      <CopyButton
        label="Link to this event"
        text={`${location.origin}${location.pathname}${addressOf("events", event.id)}`}
      />
    </Menu>
  );
}

const shows = [
  ["attempts", "Attempts"],
  ["payload", "Payload"],
  ["signature", "Signature"],
  ["timeline", "Timeline"],
] as const;

function Tabs({
  event,
  delivery,
  query,
}: {
  readonly event: WrittenEvent;
  readonly delivery: Delivery | undefined;
  readonly query: URLSearchParams;
}) {
  const { about } = useInspector();
  const isPayment = about.hasPayments && /^(?:pay|ref)_/.test(event.subject ?? "");
  const offered = shows.filter(
    ([name]) =>
      name === "payload" ||
      (name === "timeline" ? isPayment : delivery !== undefined && delivery.attempts.length > 0),
  );
  const wanted = query.get("show") ?? "attempts";
  const shown = offered.find(([name]) => name === wanted)?.[0] ?? offered[0]?.[0] ?? "payload";
  return (
    <>
      <nav class="tabs" aria-label="Parts of this event">
        {offered.map(([name, label]) => (
          <a
            key={name}
            href={addressOf("events", event.id, [...without(query, "show"), ["show", name]])}
            aria-current={name === shown ? "true" : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      {shown === "attempts" && delivery !== undefined && (
        <Attempts delivery={delivery} payload={event.payload} />
      )}
      {shown === "payload" && <Payload event={event} />}
      {shown === "signature" && delivery !== undefined && (
        <Signature key={delivery.deliveryId} delivery={delivery} payload={event.payload} />
      )}
      {shown === "timeline" && <Timeline subject={event.subject ?? ""} />}
      <Facts
        rows={[
          ["Category", event.category],
          ["Written", <SandboxTime key="at" at={event.timestamp} form="long" />],
          ...(delivery?.lastStartedAt == null
            ? []
            : [["Last attempt", <Ago key="ago" at={delivery.lastStartedAt} />] as const]),
          ...(delivery === undefined
            ? []
            : [["Delivery", <code key="id">{delivery.deliveryId}</code>] as const]),
        ]}
      />
    </>
  );
}

function Timeline({ subject }: { readonly subject: string }) {
  const { value, refusal } = useReading<PaymentDetail>(`/sandbox/inspect/payments/${subject}`);
  if (value === undefined) {
    return (
      <p>
        {refusal === undefined
          ? "…"
          : "The payment of this event is not in the sandbox: the event is a sample."}
      </p>
    );
  }
  return <PaymentTimeline detail={value} />;
}
