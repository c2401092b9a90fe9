import { useEffect, useMemo, useState } from "react";
import { ClockBar } from "./clock/clock-bar.tsx";
import { InspectorContext, NewsContext } from "./inspector-context.ts";
import { CallLog } from "./parts/call-log.ts";
import { Calls } from "./parts/calls.tsx";
import { usePlace } from "./parts/use-place.ts";
import { remoteOf } from "./remote/remote.ts";
import type { About } from "./remote/shapes.ts";
import { Navigation } from "./navigation.tsx";
import { TimelineStore } from "./timeline/timeline-store.ts";
import { useNews } from "./use-news.ts";
import { ViewOf } from "./view-of.tsx";

/** The page of an open session. */
export function App({ token }: { readonly token: string }) {
  const calls = useMemo(() => new CallLog(), []);
  const timeline = useMemo(() => new TimelineStore(), []);
  const remote = useMemo(() => remoteOf(token, calls.add), [token, calls]);
  const [about, setAbout] = useState<About>();
  const { news, refresh } = useNews(remote, { timeline, about });
  const place = usePlace();
  useEffect(() => {
    void remote.get<About>("/sandbox/inspect").then(setAbout, () => undefined);
  }, [remote]);
  const inspector = useMemo(
    () => about && { remote, about, timeline, calls, refresh },
    [remote, about, timeline, calls, refresh],
  );
  if (inspector === undefined) return <main className="empty" aria-busy="true" />;
  return (
    <InspectorContext value={inspector}>
      <NewsContext value={news}>
        <header className="top">
          <a className="brand" href="#/timeline">
            <span aria-hidden="true" className="mark" />
            Countersign
          </a>
          <Navigation view={place.view} />
          <ClockBar />
        </header>
        <main className="view" id="view">
          <ViewOf place={place} />
        </main>
        <Calls />
      </NewsContext>
    </InspectorContext>
  );
}
