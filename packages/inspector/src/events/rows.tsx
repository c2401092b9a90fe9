import { useRef, useState } from "preact/hooks";
import { addressOf } from "../context.ts";
import { Ago, SandboxTime, StatusBadge } from "../parts.tsx";
import type { EventRow } from "../shapes.ts";
import { responseText, shortId, shortUrl } from "../words.ts";

const keyOf = ({ id, deliveryId }: EventRow): string => deliveryId ?? id;

/** Keeps rows in place while the pointer or the focus is on them; what they say still changes. */
export function useHeld(live: readonly EventRow[], filter: string) {
  const [isOn, setOn] = useState(false);
  const kept = useRef<{ rows: readonly EventRow[]; filter: string }>({ rows: live, filter });
  const before = kept.current;
  const isHeld = isOn && before.filter === filter && before.rows.length > 0 && live.length > 0;
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

/** The table of events: a row for each delivery. */
export function Rows({
  rows,
  selected,
  query,
  picked,
  onPick,
}: {
  readonly rows: readonly EventRow[];
  readonly selected: string | undefined;
  readonly query: URLSearchParams;
  readonly picked: ReadonlySet<string>;
  readonly onPick: (deliveryId: string) => void;
}) {
  if (rows.length === 0) return null;
  const chosen = query.get("delivery");
  return (
    <table class="rows events">
      <caption class="hidden">Events, the newest first</caption>
      <thead>
        <tr>
          <th scope="col" class="c-pick">
            <span class="hidden">Select</span>
          </th>
          <th scope="col">Status</th>
          <th scope="col">Type</th>
          <th scope="col" class="c-subject">
            Subject
          </th>
          <th scope="col" class="c-endpoint">
            Endpoint
          </th>
          <th scope="col" class="c-response">
            Last response
          </th>
          <th scope="col" class="c-attempts">
            Attempts
          </th>
          <th scope="col" class="c-next">
            Next retry
          </th>
          <th scope="col" class="c-time">
            Sandbox time
          </th>
          <th scope="col" class="c-ago">
            Attempted
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const { deliveryId } = row;
          const name = `${row.type} ${row.id}`;
          return (
            <tr
              key={deliveryId ?? row.id}
              aria-selected={row.id === selected && (chosen === null || chosen === deliveryId)}
            >
              <td class="c-pick">
                {deliveryId !== null && (
                  <input
                    type="checkbox"
                    aria-label={`Select ${name}`}
                    checked={picked.has(deliveryId)}
                    onChange={() => onPick(deliveryId)}
                  />
                )}
              </td>
              <td>
                <StatusBadge row={row} />
              </td>
              <td class="c-type">
                <a
                  href={addressOf("events", row.id, [
                    ...query,
                    ...(deliveryId === null ? [] : [["delivery", deliveryId] as const]),
                  ])}
                >
                  {row.type}
                </a>
              </td>
              <td class="c-subject">
                {row.amount}{" "}
                <code title={row.subject ?? row.id}>{shortId(row.subject ?? row.id)}</code>
              </td>
              <td
                class={`c-endpoint ${row.url === null ? "quiet-text" : ""}`}
                title={row.url ?? ""}
              >
                {row.url === null ? "no endpoint" : shortUrl(row.url)}
              </td>
              <td class="c-response">
                {row.lastDurationMs !== null &&
                  responseText({
                    status: row.lastStatus,
                    error: row.lastError,
                    durationMs: row.lastDurationMs,
                  })}
              </td>
              <td class="c-attempts">{row.attempts}</td>
              <td class="c-next">
                {row.nextAt !== null && row.status === "retrying" && (
                  <SandboxTime at={row.nextAt} />
                )}
              </td>
              <td class="c-time">
                <SandboxTime at={row.timestamp} />
              </td>
              <td class="c-ago">{row.lastStartedAt !== null && <Ago at={row.lastStartedAt} />}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
