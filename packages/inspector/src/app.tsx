import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ChecksView } from "./checks/list.tsx";
import { Clock, ResetMenu, useClockMoves } from "./clock.tsx";
import {
  addressOf,
  InspectorContext,
  NewsContext,
  usePlace,
  views,
  type Place,
  type View,
} from "./context.ts";
import { CustomersView } from "./customers.tsx";
import { EndpointsView } from "./endpoints/list.tsx";
import { EventsView } from "./events/list.tsx";
import { FaultChips, FaultDrawer } from "./faults.tsx";
import { PaymentsView } from "./payments/list.tsx";
import { listen, remoteOf, type StreamState } from "./remote.ts";
import { Search } from "./search.tsx";
import type { About } from "./shapes.ts";

const names: Readonly<Record<View, string>> = {
  events: "Events",
  payments: "Payments",
  customers: "Customers",
  endpoints: "Endpoints",
  checks: "Checks",
};

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
  const clock = useClockMoves(remote, refresh);
  const place = usePlace();
  const [hasFaults, setFaults] = useState(false);
  const [message, setMessage] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setMessage(""), MESSAGE_MS);
    return () => clearTimeout(timer);
  }, [message]);
  useEffect(() => {
    void remote.get<About>("/sandbox/inspect").then(setAbout, () => undefined);
  }, [remote, stream]);
  useEffect(() => {
    const { id } = place;
    document.title = `${id === undefined ? names[place.view] : id} · Countersign inspector`;
  }, [place]);
  if (about === undefined) return <main class="empty" aria-busy="true" />;
  const isOffline = stream === "stopped";
  const openFaults = (): void => setFaults(true);
  const inspector = { remote, about, isOffline, refresh, ...clock, openFaults, say: setMessage };
  const shown = views.filter(
    (view) =>
      (view !== "payments" || about.hasPayments) && (view !== "customers" || about.hasCustomers),
  );
  return (
    <InspectorContext.Provider value={inspector}>
      <NewsContext.Provider value={news}>
        <header class="top">
          <a class="brand" href="#/events" aria-label="Countersign">
            <span aria-hidden="true" class="mark" />
          </a>
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
          <Search />
          <Connection state={stream} />
          <FaultChips />
          <Clock />
          <ResetMenu />
        </header>
        {isOffline && (
          <p class="banner" role="alert">
            The sandbox has stopped. This page shows what it knew last, and nothing can be changed.
            Start it again and open the address that it prints, also in this tab.
          </p>
        )}
        <main class="view" id="view">
          <ViewOf place={place} />
        </main>
        {hasFaults && <FaultDrawer onClose={() => setFaults(false)} />}
        <p class="message" role="status">
          {message}
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
    case "customers":
      return <CustomersView selected={place.id} />;
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

/** State of the stream of news. */
function Connection({ state }: { readonly state: StreamState }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    setSeconds(0);
    if (state !== "reconnecting") return undefined;
    const timer = setInterval(() => setSeconds((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, [state]);
  const words = {
    live: "Live",
    reconnecting: `Reconnecting ${String(seconds)} s`,
    stopped: "Sandbox stopped",
  };
  return (
    <span class={`chip connection ${state}`} role="status">
      {words[state]}
    </span>
  );
}
