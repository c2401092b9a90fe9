import { useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import { useInspector } from "../inspector-context.ts";
import { addressOf } from "../parts/use-place.ts";
import type { TimelinePage } from "../remote/shapes.ts";
import { PAGE_ROWS } from "../use-news.ts";
import { TimelineRowView } from "./timeline-row.tsx";
import type { ShownRows } from "./shown-rows.ts";
import { useWindow } from "./use-window.ts";

const ROW_PX = 48;
/** Whoever has scrolled less far is at the top, and sees what comes in. */
const TOP_PX = ROW_PX / 2;

/**
 * The rows in sight, the newest first. Whoever has scrolled down, points at a row or has the focus in the
 * list keeps what they look at, however many rows come in above.
 */
export function TimelineList({
  rows,
  before,
  selected,
}: {
  readonly rows: ShownRows;
  readonly before: string | null;
  readonly selected: string | undefined;
}) {
  const { timeline } = useInspector();
  const scroller = useRef<HTMLDivElement>(null);
  const anchor = useRef<string>(undefined);
  // Asking the element costs a layout each time.
  const scrolled = useRef(0);
  const [isAtTop, setAtTop] = useState(true);
  const seen = useRef<string>(undefined);
  const isHeld = useRef(false);
  const { from, to } = useWindow(scroller, { count: rows.count, rowPx: ROW_PX });
  const newest = rows.at(0)?.id;
  const placeOf = (id: string | undefined): number =>
    rows.placeOf((id === undefined ? undefined : timeline.numberOf(id)) ?? Number.NaN);
  useLayoutEffect(() => {
    const former = anchor.current;
    anchor.current = newest;
    if (scrolled.current < TOP_PX && !isHeld.current) {
      seen.current = newest;
      return;
    }
    const element = scroller.current;
    const place = former === newest ? 0 : placeOf(former);
    if (element === null || place <= 0) return;
    element.scrollTop += place * ROW_PX;
    scrolled.current = element.scrollTop;
    setAtTop(scrolled.current < TOP_PX);
  });
  const above = isAtTop ? 0 : placeOf(seen.current);

  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step === undefined || rows.count === 0) return;
    event.preventDefault();
    const index = Math.min(Math.max(placeOf(selected) + step, 0), rows.count - 1);
    const row = rows.at(index);
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
      onScroll={({ currentTarget }) => {
        scrolled.current = currentTarget.scrollTop;
        setAtTop(scrolled.current < TOP_PX);
      }}
      onPointerEnter={() => (isHeld.current = true)}
      onPointerLeave={() => (isHeld.current = false)}
      onFocus={() => (isHeld.current = true)}
      onBlur={() => (isHeld.current = false)}
      tabIndex={0}
      role="group"
      aria-label="Events"
    >
      {above > 0 && (
        <div className="newer">
          <button
            type="button"
            className="primary"
            onClick={() => scroller.current?.scrollTo(0, 0)}
          >
            ↑ {above.toLocaleString()} new
          </button>
        </div>
      )}
      <ol className="rows-all" style={{ height: rows.count * ROW_PX }}>
        {places(from, to).map((place) => {
          const row = rows.at(place);
          return row === undefined ? null : (
            // From the end: rows that come in above move none of these.
            <li
              key={row.id}
              style={{ transform: `translateY(${String((place + 1 - rows.count) * ROW_PX)}px)` }}
            >
              <TimelineRowView row={row} isSelected={row.id === selected} />
            </li>
          );
        })}
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

function places(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
