import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ChecksView } from "./checks/view.tsx";
import { Clock, SandboxMenu } from "./clock.tsx";
import {
  addressOf,
  InspectorContext,
  NewsContext,
  usePlace,
  views,
  type Place,
  type View,
} from "./context.ts";
import { EndpointsView } from "./endpoints.tsx";
import { EventsView } from "./events/list.tsx";
import { FaultChips, FaultDrawer } from "./faults.tsx";
import { PaymentsView } from "./payments/list.tsx";
import { listen, remoteOf, type StreamState } from "./remote.ts";
import { Search } from "./search.tsx";
import type { About } from "./shapes.ts";

const names: Readonly<Record<View, string>> = {
  events: "Events",
  payments: "Payments",
  endpoints: "Endpoints",
  checks: "Checks",
};

const states = { live: "Live", reconnecting: "Reconnecting", stopped: "Stopped" } as const;
/** Milliseconds between two readings while news arrive, the first at once. */
const PACE_MS = 300;
/** Milliseconds for which a message is shown. */
const MESSAGE_MS = 5000;

/** The page of an open session. */
export function App({ token }: { readonly token: string }) {
  const remote = useMemo(() => remoteOf(token), [token]);
  const [about, setAbout] = useState<About>();
  const [stream, setStream] = useState<StreamState>("reconnecting");
  const { news, refresh } = useNews(setStream);
  const place = usePlace();
  const [hasFaults, setFaults] = useState(false);
  const [message, setMessage] = useState({ text: "" });
  const say = (text: string): void => setMessage({ text });
  useEffect(() => {
    // It clears only its own message: the effect of a new one runs later.
    const clear = (): void => setMessage((now) => (now === message ? { text: "" } : now));
    const timer = message.text === "" ? undefined : setTimeout(clear, MESSAGE_MS);
    return () => clearTimeout(timer);
  }, [message]);
  // The values to filter by grow while `listen` runs.
  const isGrowing = about?.mode === "listen";
  useEffect(() => {
    void remote.get<About>("/sandbox/inspect").then(setAbout, () => undefined);
  }, [remote, stream, isGrowing && news]);
  useEffect(() => {
    const { id } = place;
    document.title = `${id === undefined ? names[place.view] : id} · Countersign inspector`;
  }, [place]);
  if (about === undefined) return <main class="empty" aria-busy="true" />;
  const isSandbox = about.mode === "sandbox";
  const isOffline = stream === "stopped";
  const moveClock = async (to: string): Promise<void> => {
    await remote.send("PUT", "/sandbox/clock", { now: to });
    refresh();
  };
  const openFaults = (): void => setFaults(true);
  const inspector = { remote, about, isOffline, refresh, moveClock, openFaults, say };
  const shown = views.filter(
    (view) => view === "events" || (isSandbox && (view !== "payments" || about.hasPayments)),
  );
  return (
    <InspectorContext.Provider value={inspector}>
      <NewsContext.Provider value={news}>
        <header class="top">
          <a class="brand" href="#/events">
            <span aria-hidden="true" class="mark" /> Countersign
          </a>
          {shown.length > 1 ? (
            <nav aria-label="Views">
              {shown.map((view) => (
                <a
                  key={view}
                  href={addressOf(view)}
                  aria-current={view === place.view ? "page" : undefined}
                >
                  {names[view]}
                </a>
              ))}
            </nav>
          ) : (
            <span class="soft one-line">
              {about.provider.title} → {about.endpoints?.join(", ")}
            </span>
          )}
          <Search />
          <span class={`badge connection ${stream}`} role="status">
            {states[stream]}
          </span>
          {isSandbox && (
            <>
              <FaultChips />
              <Clock />
              <SandboxMenu />
            </>
          )}
        </header>
        {isOffline && (
          <p class="banner" role="alert">
            {isSandbox ? "The sandbox" : "countersign listen"} has stopped. This page shows what it
            knew last, and nothing can be changed. Start it again and open the address that it
            prints, also in this tab.
          </p>
        )}
        <main class="view" id="view">
          <ViewOf place={shown.includes(place.view) ? place : { ...place, view: "events" }} />
        </main>
        {hasFaults && <FaultDrawer onClose={() => setFaults(false)} />}
        <p class={message.text === "" ? "hidden" : "message"} role="status">
          {message.text}
        </p>
      </NewsContext.Provider>
    </InspectorContext.Provider>
  );
}

function ViewOf({ place }: { readonly place: Place }) {
  switch (place.view) {
    case "events":
      return <EventsView place={place} />;
    case "payments":
      return <PaymentsView place={place} />;
    case "endpoints":
      return <EndpointsView selected={place.id} />;
    case "checks":
      return <ChecksView place={place} />;
    default:
      return place.view satisfies never;
  }
}

/** Counts what happens: `news` goes up at most once in `PACE_MS`, however much happens. */
function useNews(onState: (state: StreamState) => void): {
  readonly news: number;
  readonly refresh: () => void;
} {
  const [news, setNews] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isAgain = useRef(false);
  const refresh = useCallback(() => {
    if (timer.current !== undefined) {
      isAgain.current = true;
      return;
    }
    const step = (): void => {
      isAgain.current = false;
      setNews((count) => count + 1);
      timer.current = setTimeout(() => {
        timer.current = undefined;
        if (isAgain.current) step();
      }, PACE_MS);
    };
    step();
  }, []);
  useEffect(() => listen(refresh, onState), [refresh, onState]);
  return { news, refresh };
}
