import { useState, useSyncExternalStore } from "react";
import { EventView } from "../event/event-view.tsx";
import { useInspector } from "../inspector-context.ts";
import { NEW } from "../parts/split-view.tsx";
import { addressOf } from "../parts/use-place.ts";
import { FilterBar, type Filter } from "./filter-bar.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { TimelineList } from "./timeline-list.tsx";
import type { Snapshot } from "./timeline-store.ts";
import { useFiltered } from "./use-filtered.ts";
import { WriteEvent } from "./write-event.tsx";

const everything: Filter = { categories: [], type: "", search: "" };

/** Events as they happen, the newest first, and the one that is selected. */
export function TimelineView({ selected }: { readonly selected: string | undefined }) {
  const { timeline, about } = useInspector();
  const live = useSyncExternalStore(timeline.subscribe, timeline.snapshot);
  const [paused, setPaused] = useState<Snapshot>();
  const [filter, setFilter] = useState(everything);
  const held = paused ?? live;
  const { rows, before } = held;
  const shown = useFiltered(held, filter);
  const missed = paused === undefined ? 0 : live.rows.length - paused.rows.length;
  const isEmpty = live.before !== undefined && live.rows.length === 0;
  return (
    <div className={`split ${selected === undefined ? "" : "has-detail"}`}>
      <section className="list" aria-label="Timeline">
        <FilterBar
          filter={filter}
          types={about.events}
          onFilter={setFilter}
          stream={live.stream}
          missed={missed}
          isPaused={paused !== undefined}
          onPause={() => setPaused(paused === undefined ? live : undefined)}
          counts={{ shown: shown.count, all: rows.length }}
        />
        {isEmpty ? (
          <FirstSteps />
        ) : (
          <TimelineList rows={shown} before={before ?? null} selected={selected} />
        )}
      </section>
      <section className="detail" aria-label="Event">
        {selected === undefined ? (
          <p className="note hint">
            Select an event: its bytes, its attempts and its signature stand here. Arrow keys move,
            <kbd>/</kbd> searches. Or <a href={addressOf("timeline", NEW)}>write an event</a>.
          </p>
        ) : (
          <>
            <a className="back" href={addressOf("timeline")}>
              ← Timeline
            </a>
            {selected === NEW ? <WriteEvent /> : <EventView key={selected} id={selected} />}
          </>
        )}
      </section>
    </div>
  );
}
