import { useState } from "preact/hooks";
import { addressOf, useAction, useInspector, useReading } from "../context.ts";
import { Menu, Tabs } from "../layout.tsx";
import {
  Absent,
  ActionButton,
  Ago,
  CopyButton,
  Facts,
  Head,
  Refusal,
  StatusBadge,
  Time,
} from "../parts.tsx";
import type { Delivery, EventDetail, WrittenEvent } from "../shapes.ts";
import { durationText, shortUrl, summarize } from "../words.ts";
import { Attempts, Why } from "./attempts.tsx";
import { Payload } from "./payload.tsx";
import { bodyOf, EditCopy } from "./send.tsx";
import { Signature } from "./signature.tsx";
import { curlOf, testOf, type SentRequest } from "./snippets.ts";

interface Shown {
  readonly event: WrittenEvent;
  readonly delivery: Delivery | undefined;
  readonly query: URLSearchParams;
}

/** One event: the state of its delivery, its attempts, payload, signature and payment. */
export function EventDetailView({
  id,
  query,
}: {
  readonly id: string;
  readonly query: URLSearchParams;
}) {
  const { mode } = useInspector().about;
  const reveal = query.get("reveal") === "true" ? "?reveal=true" : "";
  const { value, refusal } = useReading<EventDetail>(`/sandbox/inspect/events/${id}${reveal}`);
  if (value === undefined)
    return (
      <Absent title="No such event" refusal={refusal}>
        <code>{id}</code> is not here.{" "}
        {mode === "sandbox" ? "A reset removes events." : "Only the latest events are kept."}
      </Absent>
    );
  const { event, deliveries } = value;
  const delivery =
    deliveries.find(({ deliveryId }) => deliveryId === query.get("delivery")) ?? deliveries[0];
  const shown = { event, delivery, query };
  return (
    <article>
      <Head
        badge={delivery !== undefined && <StatusBadge row={delivery} />}
        title={event.type}
        id={event.eventId}
      />
      {deliveries.length > 1 && (
        <Tabs
          label="Endpoints of this event"
          kind="small"
          tabs={deliveries.map((one) => ({
            key: one.deliveryId,
            href: addressOf("events", id, withMember(query, "delivery", one.deliveryId)),
            isShown: one === delivery,
            text: (
              <>
                {shortUrl(one.url)} <StatusBadge row={one} />
              </>
            ),
          }))}
        />
      )}
      <Summary event={event} delivery={delivery} />
      <Parts {...shown} />
    </article>
  );
}

/** The query with one member changed. */
const withMember = (
  query: URLSearchParams,
  name: string,
  value: string,
): readonly (readonly [string, string])[] => [
  ...[...query].filter(([one]) => one !== name),
  [name, value],
];

function Summary({ event, delivery }: Omit<Shown, "query">) {
  const { about, remote, moveClock } = useInspector();
  const action = useAction();
  const [isEditing, setEditing] = useState(false);
  const nextAt = delivery?.status === "retrying" ? delivery.nextAt : null;
  const { value: clock } = useReading<{ readonly now: string }>(
    nextAt == null ? undefined : "/sandbox/clock",
  );
  const diagnosis = delivery?.attempts.at(-1)?.diagnosis;
  const isBad = diagnosis !== undefined && (!diagnosis.isGood || diagnosis.cause !== null);
  const copyTest = async (): Promise<string> => {
    const payload = event.isMasked === true ? await bodyOf(remote, delivery) : event.payload;
    return testOf({ ...event, payload }, about, delivery?.attempts.at(-1)?.headers ?? {});
  };
  return (
    <>
      <div class={`summary ${isBad ? "bad" : ""}`}>
        <p>
          {delivery === undefined
            ? "Not sent: no endpoint selected this type when it was written."
            : summarize(delivery)}
          {nextAt != null && clock !== undefined && (
            <>
              {" "}
              Next retry in {durationText((Date.parse(nextAt) - Date.parse(clock.now)) / 1000)} of
              sandbox time, <Time at={nextAt} />.
            </>
          )}
        </p>
        {isBad && <Why diagnosis={diagnosis} />}
      </div>
      <div class="buttons">
        {delivery !== undefined && (
          <>
            <ActionButton
              action={action}
              label="Resend"
              isPrimary
              onRun={() => remote.send("POST", `/sandbox/deliveries/${delivery.deliveryId}/replay`)}
            />
            {nextAt != null && (
              <ActionButton
                action={action}
                label="Retry now (moves the clock)"
                onRun={() => moveClock(nextAt)}
              />
            )}
          </>
        )}
        {(about.mode === "sandbox" || about.canSign === true) && (
          <button type="button" onClick={() => setEditing(true)}>
            Edit and send a copy
          </button>
        )}
        <CopyButton label="Copy as a vitest test" text={copyTest} />
        <CopyMenu event={event} delivery={delivery} />
      </div>
      <Refusal text={action.refusal} />
      {isEditing && (
        <EditCopy event={event} delivery={delivery} onClose={() => setEditing(false)} />
      )}
    </>
  );
}

function CopyMenu({ event, delivery }: Omit<Shown, "query">) {
  const { remote } = useInspector();
  const post = <T,>(path: string): Promise<T> =>
    remote.send<T>("POST", path, { deliveryId: delivery?.deliveryId });
  return (
    <Menu label="Copy">
      {delivery !== undefined && (
        <CopyButton
          label="curl, signed now"
          text={async () => curlOf(await post<SentRequest>("/sandbox/inspect/signatures/now"))}
        />
      )}
      <CopyButton label={event.isMasked === true ? "JSON, masked" : "JSON"} text={event.payload} />
    </Menu>
  );
}

function Parts({ event, delivery, query }: Shown) {
  const { mode } = useInspector().about;
  const hasAttempts = delivery !== undefined && delivery.attempts.length > 0;
  const offered = [
    ...(hasAttempts ? [["attempts", "Attempts"] as const] : []),
    ["payload", "Payload"] as const,
    ...(hasAttempts ? [["signature", "Signature"] as const] : []),
  ];
  const wanted = query.get("show") ?? "attempts";
  const shown = offered.find(([name]) => name === wanted)?.[0] ?? offered[0]?.[0];
  return (
    <>
      <Tabs
        label="Parts of this event"
        tabs={offered.map(([key, text]) => ({
          key,
          href: addressOf("events", event.id, withMember(query, "show", key)),
          isShown: key === shown,
          text,
        }))}
      />
      {shown === "attempts" && delivery !== undefined && (
        <Attempts delivery={delivery} payload={event.payload} />
      )}
      {shown === "payload" && (
        <Payload
          event={event}
          openHref={addressOf("events", event.id, withMember(query, "reveal", "true"))}
        />
      )}
      {shown === "signature" && delivery !== undefined && (
        <Signature key={delivery.deliveryId} delivery={delivery} isOpen={event.isMasked !== true} />
      )}
      <Facts
        rows={[
          ["Provider", event.provider],
          [
            "Payment",
            // The sandbox makes these ids itself.
            mode === "sandbox" && /^(?:pay|ref)_/.test(event.subject ?? "") && (
              <a key="p" href={addressOf("payments", event.subject ?? "")}>
                {event.subject}
              </a>
            ),
          ],
          ["Category", event.category === "" ? null : event.category],
          [
            mode === "sandbox" ? "Written" : "First arrived",
            <Time key="at" at={event.timestamp} form="long" isReal={mode === "listen"} />,
          ],
          [
            "Last attempt",
            delivery?.lastStartedAt != null && <Ago key="ago" at={delivery.lastStartedAt} />,
          ],
        ]}
      />
    </>
  );
}
