import { useEffect, useState } from "preact/hooks";
import { addressOf, changed, replaceAddress, useInspector, useReading } from "../context.ts";
import type { Endpoint } from "../shapes.ts";
import { shortUrl } from "../words.ts";

/** Milliseconds without a key after which a search changes the address. */
const PAUSE_MS = 150;

/** Filters of the list; each change is in the address. */
export function Filters({ query }: { readonly query: URLSearchParams }) {
  const { about } = useInspector();
  const { value } = useReading<{ endpoints: readonly Endpoint[] }>("/sandbox/inspect/endpoints");
  const [text, setText] = useState(query.get("q") ?? "");
  const asked = query.get("q") ?? "";
  useEffect(() => setText(asked), [asked]);
  useEffect(() => {
    if (text === asked) return undefined;
    const timer = setTimeout(
      () => replaceAddress(addressOf("events", undefined, changed(query, { q: text }))),
      PAUSE_MS,
    );
    return () => clearTimeout(timer);
  }, [text]);
  const set = (name: string, wanted: string): void => {
    location.hash = addressOf("events", undefined, changed(query, { [name]: wanted }));
  };
  const categories = [...new Set(about.events.map(({ category }) => category))];
  const { type = "", category = "" } = Object.fromEntries(query);
  const choice = (name: string, label: string, options: readonly (readonly [string, string])[]) => (
    <select
      aria-label={label}
      value={query.get(name) ?? ""}
      onChange={({ currentTarget }) => set(name, currentTarget.value)}
    >
      <option value="">{label}</option>
      {options.map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </select>
  );
  return (
    <div class="filters" role="search" aria-label="Filter events">
      <input
        type="search"
        aria-label="Search these events"
        placeholder="Id, payment, URL or text of the payload"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <select
        aria-label="Type"
        value={type || (category && `${category}/`)}
        onChange={({ currentTarget: { value: wanted } }) => {
          const chosen = wanted.endsWith("/")
            ? { category: wanted.slice(0, -1), type: "" }
            : { category: "", type: wanted };
          location.hash = addressOf("events", undefined, changed(query, chosen));
        }}
      >
        <option value="">Type</option>
        {categories.map((one) => (
          <optgroup key={one} label={one}>
            <option value={`${one}/`}>all {one}</option>
            {about.events
              .filter((row) => row.category === one)
              .map((row) => (
                <option key={row.type}>{row.type}</option>
              ))}
          </optgroup>
        ))}
      </select>
      {choice(
        "endpoint",
        "Endpoint",
        (value?.endpoints ?? []).map((one) => [one.subscriptionKey, shortUrl(one.url)]),
      )}
      {choice("answer", "Response", [
        ["2xx", "2xx"],
        ["3xx", "3xx"],
        ["4xx", "4xx"],
        ["5xx", "5xx"],
        ["none", "none"],
      ])}
      <label class="since">
        <span>
          Since <span class="sandbox-time">◷</span>
        </span>
        <input
          type="date"
          aria-label="Events since this day of sandbox time"
          value={(query.get("from") ?? "").slice(0, 10)}
          onChange={({ currentTarget: { value: day } }) =>
            set("from", day === "" ? "" : new Date(`${day}T00:00`).toISOString())
          }
        />
      </label>
    </div>
  );
}
