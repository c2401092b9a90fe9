import { useEffect, useRef, useState } from "preact/hooks";
import {
  addressOf,
  changed,
  replaceAddress,
  useEndpoints,
  useInspector,
  type View,
} from "../context.ts";
import { Choice } from "../fields.tsx";
import { shortUrl } from "../words.ts";

/** Milliseconds without a key after which a search changes the address. */
const PAUSE_MS = 150;

/** A field that searches a list; its text is in the address. */
export function SearchField({
  view,
  query,
  label,
  placeholder,
}: {
  readonly view: View;
  readonly query: URLSearchParams;
  readonly label: string;
  readonly placeholder: string;
}) {
  const asked = query.get("q") ?? "";
  const [text, setText] = useState(asked);
  // An address of this field is older than what was typed since.
  const own = useRef(asked);
  useEffect(() => {
    if (asked !== own.current) setText(asked);
    own.current = asked;
  }, [asked]);
  useEffect(() => {
    if (text === asked) return undefined;
    const before = location.hash;
    const timer = setTimeout(() => {
      // The reader may have gone to another view, which is not drawn yet.
      if (location.hash !== before && !location.hash.startsWith(`#/${view}`)) return;
      own.current = text;
      replaceAddress(addressOf(view, undefined, changed(query, { q: text })));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      spellcheck={false}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}

const spans = { "1h": "last hour", "24h": "last 24 hours", "7d": "last 7 days" } as const;
const HOURS: Readonly<Record<string, number>> = { "1h": 1, "24h": 24, "7d": 168 };

/** Filters of the list of events; each change is in the address. */
export function Filters({ query }: { readonly query: URLSearchParams }) {
  const { about, remote } = useInspector();
  const isListening = about.mode === "listen";
  const { value = [] } = useEndpoints();
  const set = (change: Readonly<Record<string, string>>): void => {
    location.hash = addressOf("events", undefined, changed(query, change));
  };
  const sinceOf = async (span: string): Promise<void> => {
    const clock = isListening ? undefined : await remote.get<{ now: string }>("/sandbox/clock");
    const now = clock === undefined ? Date.now() : Date.parse(clock.now);
    const from = new Date(now - (HOURS[span] ?? 0) * 3_600_000).toISOString();
    set({ since: span, from: span === "" ? "" : from });
  };
  const endpoints = isListening
    ? (about.endpoints ?? []).map((url) => [url, shortUrl(url)] as const)
    : value.map((one) => [one.subscriptionKey, shortUrl(one.url)] as const);
  const categories = [...new Set(about.events.map(({ category }) => category))];
  const types = isListening
    ? (about.types ?? [])
    : [
        ...categories.map((one) => [`${one}/`, `all ${one}`] as const),
        ...about.events.map(({ type }) => type),
      ];
  const { type = "", category = "" } = Object.fromEntries(query);
  const choice = (
    name: string,
    label: string,
    options: readonly (string | readonly [string, string])[],
  ) =>
    options.length > 0 && (
      <Choice
        label={label}
        isLabelled={false}
        value={query.get(name) ?? ""}
        options={options}
        onValue={(one) => set({ [name]: one })}
      />
    );
  return (
    <div class="filters" role="search" aria-label="Filter events">
      <SearchField
        view="events"
        query={query}
        label="Search these events"
        placeholder="Id, URL or text"
      />
      {choice("cause", "Cause", about.causes ?? [])}
      <Choice
        label="Any time"
        isLabelled={false}
        value={query.get("since") ?? ""}
        options={Object.entries(spans)}
        onValue={(span) => void sinceOf(span)}
      />
      {(about.providers ?? []).length > 1 && choice("provider", "Provider", about.providers ?? [])}
      <Choice
        label="Type"
        isLabelled={false}
        value={type || (category && `${category}/`)}
        options={types}
        onValue={(wanted) =>
          set(
            wanted.endsWith("/")
              ? { category: wanted.slice(0, -1), type: "" }
              : { category: "", type: wanted },
          )
        }
      />
      {endpoints.length > 1 && choice("endpoint", "Endpoint", endpoints)}
      {!isListening && choice("answer", "Response", ["2xx", "3xx", "4xx", "5xx", "none"])}
    </div>
  );
}
