import { useRef, useState } from "preact/hooks";
import { addressOf, useInspector } from "../context.ts";
import { Table, type Column } from "../layout.tsx";
import { Ago, StatusBadge, Time } from "../parts.tsx";
import type { About, EventRow } from "../shapes.ts";
import { responseText, shortId, shortUrl } from "../words.ts";

const keyOf = ({ id, deliveryId }: EventRow): string => deliveryId ?? id;

/** Keeps rows in place while the pointer or the focus is on them; what they say still changes. */
export function useHeld(live: readonly EventRow[], filter: string, selected: string | undefined) {
  const [isOn, setOn] = useState(false);
  const kept = useRef<{ rows: readonly EventRow[]; filter: string }>({ rows: live, filter });
  const before = kept.current;
  const has = (rows: readonly EventRow[]): boolean => rows.some(({ id }) => id === selected);
  // An event that was just sent is selected: its row is shown at once.
  const isHidden = has(live) && !has(before.rows);
  const isHeld =
    isOn && !isHidden && before.filter === filter && before.rows.length > 0 && live.length > 0;
  const now = new Map(live.map((row) => [keyOf(row), row]));
  const rows = isHeld ? before.rows.map((row) => now.get(keyOf(row)) ?? row) : live;
  kept.current = { rows, filter };
  const known = new Set(rows.map(keyOf));
  return {
    rows,
    fresh: live.filter((row) => !known.has(keyOf(row))).length,
    release: () => setOn(false),
    hold: {
      onPointerEnter: () => setOn(true),
      onPointerLeave: () => setOn(false),
      onFocusIn: () => setOn(true),
      onFocusOut: () => setOn(false),
    },
  };
}

interface RowsProps {
  readonly rows: readonly EventRow[];
  readonly selected: string | undefined;
  readonly query: URLSearchParams;
  readonly picked: ReadonlySet<string>;
  readonly onPick: (deliveryId: string) => void;
}

/** The table of events: a row for each delivery. */
export function Rows({ rows, selected, ...props }: RowsProps) {
  const { about } = useInspector();
  const chosen = props.query.get("delivery");
  return (
    <Table
      caption="Events, the newest first"
      kind="events"
      columns={columnsOf(props, about)}
      rows={rows}
      keyOf={keyOf}
      isSelected={({ id, deliveryId }) =>
        id === selected && (chosen === null || chosen === deliveryId)
      }
    />
  );
}

function columnsOf(
  { query, picked, onPick }: Pick<RowsProps, "query" | "picked" | "onPick">,
  { mode, providers = [], scheduleSeconds }: About,
): Column<EventRow>[] {
  const scheduled = scheduleSeconds.length;
  return [
    {
      name: "Select",
      kind: "c-pick",
      cell: ({ deliveryId, type, id }) =>
        deliveryId !== null && (
          <input
            type="checkbox"
            aria-label={`Select ${type} ${id}`}
            checked={picked.has(deliveryId)}
            onChange={() => onPick(deliveryId)}
          />
        ),
    },
    { name: "Status", kind: "c-status", cell: (row) => <StatusBadge row={row} /> },
    ...(providers.length > 1
      ? [{ name: "Provider", kind: "c-provider", cell: ({ provider }: EventRow) => provider }]
      : []),
    {
      name: "Type",
      kind: "c-type",
      cell: ({ id, type, deliveryId }) => {
        const delivery = deliveryId === null ? [] : [["delivery", deliveryId] as const];
        return <a href={addressOf("events", id, [...query, ...delivery])}>{type}</a>;
      },
    },
    {
      name: mode === "sandbox" ? "Subject" : "Id",
      kind: "c-subject",
      cell: ({ amount, subject, id }) => (
        <>
          {amount} <code title={subject ?? id}>{shortId(subject ?? id)}</code>
        </>
      ),
    },
    {
      name: "Last response",
      kind: "c-response",
      cell: ({ lastStatus: status, lastError: error, lastDurationMs: durationMs, cause }) => {
        if (durationMs === null) return null;
        const text = responseText({ status, error, durationMs });
        const known = cause == null || cause === `status-${String(status)}` ? "" : ` · ${cause}`;
        return <span title={text + known}>{text + known}</span>;
      },
    },
    {
      name: "Endpoint",
      kind: "c-endpoint",
      cell: ({ url }) =>
        url === null ? (
          <span class="soft">no endpoint</span>
        ) : (
          <span title={url}>{shortUrl(url)}</span>
        ),
    },
    {
      name: "Attempts",
      kind: "c-attempts",
      cell: ({ attempts }) =>
        attempts !== null &&
        (scheduled > 0
          ? `${String(attempts)}/${String(Math.max(attempts, scheduled))}`
          : String(attempts)),
    },
    ...(mode === "listen"
      ? [
          {
            name: "Arrived",
            kind: "c-time",
            cell: ({ lastStartedAt }: EventRow) => <Ago at={lastStartedAt ?? ""} />,
          },
        ]
      : [
          {
            name: "Next retry",
            kind: "c-next",
            cell: ({ nextAt, status }: EventRow) =>
              nextAt != null && status === "retrying" && <Time at={nextAt} />,
          },
          {
            name: "Sandbox time",
            kind: "c-time",
            cell: ({ timestamp }: EventRow) => <Time at={timestamp} />,
          },
        ]),
  ];
}
