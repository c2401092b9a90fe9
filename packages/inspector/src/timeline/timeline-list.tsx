import { useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import { useInspector } from "../inspector-context.ts";
import { addressOf } from "../parts/use-place.ts";
import type { TimelinePage } from "../remote/shapes.ts";
import { PAGE_ROWS } from "../use-news.ts";
import { TimelineRowView } from "./timeline-row.tsx";
import type { Row } from "./timeline-store.ts";
import { useWindow } from "./use-window.ts";

const ROW_PX = 48;

/**
 * The rows in sight, the newest first. Whoever has scrolled down keeps what they look at, however many
 * rows come in above.
 */
export function TimelineList({
  rows,
  before,
  selected,
}: {
  /** The newest last. */
  readonly rows: readonly Row[];
  readonly before: string | null;
  readonly selected: string | undefined;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const anchor = useRef<{ id: string | undefined; count: number }>({ id: undefined, count: 0 });
  const { from, to } = useWindow(scroller, { count: rows.length, rowPx: ROW_PX });
  const newest = rows.at(-1)?.id;
  useLayoutEffect(() => {
    const { id } = anchor.current;
    const element = scroller.current;
    anchor.current = { id: newest, count: rows.length };
    if (element === null || element.scrollTop <= ROW_PX || id === undefined || id === newest)
      return;
    const place = rows.findLastIndex((row) => row.id === id);
    if (place >= 0) element.scrollTop += (rows.length - 1 - place) * ROW_PX;
  }, [newest, rows]);

  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step === undefined || rows.length === 0) return;
    event.preventDefault();
    const at = rows.findLastIndex((row) => row.id === selected);
    const present = at < 0 ? -1 : rows.length - 1 - at;
    const index = Math.min(Math.max(present + step, 0), rows.length - 1);
    const row = rows.at(-1 - index);
    if (row !== undefined) location.hash = addressOf("timeline", row.id);
    const element = scroller.current;
    if (element === null) return;
    const [top, bottom] = [index * ROW_PX, (index + 1) * ROW_PX];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight) {
      element.scrollTop = bottom - element.clientHeight;
    }
  };

  return (
    <div
      className="rows"
      ref={scroller}
      onKeyDown={move}
      tabIndex={0}
      role="group"
      aria-label="Events"
    >
      <ol className="rows-all" style={{ height: rows.length * ROW_PX }}>
        {rows
          .slice(rows.length - to, rows.length - from)
          .toReversed()
          .map((row, index) => (
            <li
              key={row.id}
              style={{ transform: `translateY(${String((from + index) * ROW_PX)}px)` }}
            >
              <TimelineRowView row={row} isSelected={row.id === selected} />
            </li>
          ))}
      </ol>
      {before !== null && <Older before={before} />}
    </div>
  );
}

function Older({ before }: { readonly before: string }) {
  const { remote, timeline } = useInspector();
  const [isBusy, setBusy] = useState(false);
  const load = async (): Promise<void> => {
    setBusy(true);
    const path = `/sandbox/inspect/timeline?limit=${String(PAGE_ROWS)}&before=${before}`;
    await remote.get<TimelinePage>(path).then(
      (page) => timeline.addOlder(page),
      () => undefined,
    );
    setBusy(false);
  };
  return (
    <button type="button" className="older" disabled={isBusy} onClick={() => void load()}>
      older events
    </button>
  );
}
