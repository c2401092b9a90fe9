import { useEffect, useState } from "preact/hooks";
import { addressOf, changed, useInspector, useReading, type Place } from "../context.ts";
import { Pager, Split, Tabs } from "../layout.tsx";
import { Refusal } from "../parts.tsx";
import type { EventPage, EventRow } from "../shapes.ts";
import { EventDetailView } from "./detail.tsx";
import { Filters } from "./filters.tsx";
import { Resend } from "./resend.tsx";
import { Rows, useHeld } from "./rows.tsx";
import { SendEvent } from "./send.tsx";
import { Start } from "./start.tsx";

type Status = EventRow["status"];

const failing: readonly Status[] = ["failed", "retrying", "gave_up"];
const tabs: readonly {
  readonly tab: string;
  readonly name: string;
  readonly of: readonly Status[];
}[] = [
  { tab: "", name: "All", of: ["pending", "delivered", "unsent", ...failing] },
  { tab: "failing", name: "Failing", of: failing },
  { tab: "delivered", name: "Delivered", of: ["delivered"] },
  { tab: "unsent", name: "Not sent", of: ["unsent"] },
];

/** Members of the address that only say what is shown of the selected event. */
const OF_DETAIL = ["show", "delivery", "reveal"];

/** Events with their deliveries, the newest first, and the one that is selected. */
export function EventsView({ place: { id, query } }: { readonly place: Place }) {
  const { about } = useInspector();
  const listed = new URLSearchParams([...query].filter(([name]) => !OF_DETAIL.includes(name)));
  const { value: page, refusal } = useReading<EventPage>(
    `/sandbox/inspect/events?limit=50&${listed}`,
  );
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<"send" | "resend">();
  const filter = listed.toString();
  useEffect(() => setPicked(new Set()), [filter]);
  const count = (of: readonly Status[]): number =>
    of.reduce((sum, status) => sum + (page?.counts[status] ?? 0), 0);
  const current = tabs.find(({ tab }) => tab === (query.get("tab") ?? "")) ?? tabs[0];
  const { rows, fresh, release, hold } = useHeld(page?.rows ?? [], filter, id);
  const shown = count(current?.of ?? []);
  const toggle = (deliveryId: string): void => {
    const next = new Set(picked);
    if (!next.delete(deliveryId)) next.add(deliveryId);
    setPicked(next);
  };
  const canSend = about.mode === "sandbox" || about.canSign === true;
  return (
    <Split
      title="Events"
      back={addressOf("events", undefined, listed)}
      isDetail={id !== undefined}
      list={
        <>
          <div class="list-head">
            <Tabs
              label="Status"
              tabs={tabs
                .filter(({ tab }) => tab !== "unsent" || about.mode === "sandbox")
                .map((one) => ({
                  key: one.tab,
                  href: addressOf("events", undefined, changed(listed, { tab: one.tab })),
                  isShown: one === current,
                  text: (
                    <>
                      {one.name} <span class="soft">{count(one.of).toLocaleString()}</span>
                    </>
                  ),
                }))}
            />
            <div class="buttons">
              {(picked.size > 0 || (count(failing) > 0 && current?.tab !== "unsent")) && (
                <button type="button" onClick={() => setDialog("resend")}>
                  {picked.size > 0 ? `Resend ${String(picked.size)}…` : "Resend all failing…"}
                </button>
              )}
              {canSend && (
                <button type="button" class="primary" onClick={() => setDialog("send")}>
                  Send event
                </button>
              )}
            </div>
          </div>
          <Filters query={listed} />
          <div {...hold}>
            <p class="counted" role="status">
              {page === undefined
                ? "…"
                : `${shown.toLocaleString()} of ${page.total.toLocaleString()} events`}
              {filter !== "" && <a href="#/events">Clear filters</a>}
              {fresh > 0 && (
                <button type="button" class="quiet" onClick={release}>
                  ↑ {fresh} new
                </button>
              )}
            </p>
            <Refusal text={refusal} />
            <Rows rows={rows} selected={id} query={listed} picked={picked} onPick={toggle} />
          </div>
          {page !== undefined && rows.length === 0 && (
            <p class="nothing">
              {filter === ""
                ? "No events yet. The next steps say how the first one gets here."
                : "No event matches these filters."}
            </p>
          )}
          <Pager view="events" query={listed} before={page?.before ?? null} />
        </>
      }
    >
      {id === undefined ? (
        <Start page={page} onSend={() => setDialog("send")} />
      ) : (
        <EventDetailView key={id} id={id} query={query} />
      )}
      {dialog === "send" && <SendEvent onClose={() => setDialog(undefined)} />}
      {dialog === "resend" && (
        <Resend
          deliveryIds={picked.size > 0 ? [...picked] : undefined}
          count={picked.size > 0 ? picked.size : count(failing)}
          query={new URLSearchParams({ ...Object.fromEntries(listed), tab: "failing", before: "" })}
          onClose={() => {
            setDialog(undefined);
            setPicked(new Set());
          }}
        />
      )}
    </Split>
  );
}
