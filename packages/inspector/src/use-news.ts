import { useCallback, useEffect, useState } from "react";
import type { Remote } from "./remote/remote.ts";
import type { About, TimelinePage } from "./remote/shapes.ts";
import { listen } from "./remote/stream.ts";
import { subjectOf } from "./timeline/subject-of.ts";
import type { TimelineStore } from "./timeline/timeline-store.ts";

/** Milliseconds between two readings while news come in. */
const PACE_MS = 200;
/** Rows of one page of the timeline. */
export const PAGE_ROWS = 1000;

/**
 * Fills the timeline and keeps it up to date, once the sandbox has told about itself; `news` goes up when something has happened.
 */
export function useNews(
  remote: Remote,
  { timeline, about }: { readonly timeline: TimelineStore; readonly about: About | undefined },
): { readonly news: number; readonly refresh: () => void } {
  const [news, setNews] = useState(0);
  const refresh = useCallback(() => setNews((count) => count + 1), []);
  useEffect(() => {
    if (about === undefined) return undefined;
    let isPending = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const happened = (): void => {
      if (isPending) return;
      isPending = true;
      timer = setTimeout(() => {
        isPending = false;
        refresh();
      }, PACE_MS);
    };
    let isStarted = false;
    const start = (): void => {
      isStarted = true;
      timeline.awaitPage();
      void remote.get<TimelinePage>(`/sandbox/inspect/timeline?limit=${String(PAGE_ROWS)}`).then(
        (page) => {
          timeline.startWith(page);
          happened();
        },
        () => undefined,
      );
    };
    const stop = listen({
      event: (event) => {
        timeline.addEvent(event, subjectOf(event, about.events));
        happened();
      },
      delivery: (delivery) => {
        timeline.setDelivery(delivery);
        happened();
      },
      attempt: happened,
      outcome: happened,
      check: happened,
      gap: start,
      state: (state) => {
        timeline.setStream(state);
        // Once news come in: what happens between the list and the first of them would be in neither.
        if (state === "live" && !isStarted) start();
      },
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [remote, timeline, about, refresh]);
  return { news, refresh };
}
