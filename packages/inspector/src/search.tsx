import { useEffect, useRef, useState } from "preact/hooks";
import { addressOf, useInspector, type View } from "./context.ts";

interface Hit {
  readonly kind: "event" | "payment" | "customer" | "endpoint";
  readonly id: string;
  readonly title: string;
}

const placeOfKind: Readonly<Record<Hit["kind"], View>> = {
  event: "events",
  payment: "payments",
  customer: "customers",
  endpoint: "endpoints",
};

/** Milliseconds without a key after which the sandbox is asked. */
const PAUSE_MS = 120;

/** Searches everything in the sandbox: ids, text of payloads, names and URLs. Ctrl/Cmd-K leads here. */
export function Search() {
  const { remote } = useInspector();
  const field = useRef<HTMLInputElement>(null);
  const [wanted, setWanted] = useState("");
  const [found, setFound] = useState<{ readonly for: string; readonly hits: readonly Hit[] }>();
  const [chosen, setChosen] = useState(0);
  const [isOpen, setOpen] = useState(false);
  // Enter before the answer goes to its first hit: the text that it was pressed for.
  const awaited = useRef("");
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const text = wanted.trim();
  const hits = found?.for === text ? found.hits : [];
  const rows = text === "" ? [] : [...hits, undefined];
  const go = (hit: Hit | undefined): void => {
    location.hash =
      hit === undefined
        ? addressOf("events", undefined, [["q", text]])
        : addressOf(placeOfKind[hit.kind], hit.id);
    awaited.current = "";
    setOpen(false);
    setWanted("");
    field.current?.blur();
  };
  useEffect(() => {
    setChosen(0);
    if (text === "") return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const path = `/sandbox/inspect/search?q=${encodeURIComponent(text)}`;
      remote.get<{ hits: readonly Hit[] }>(path, controller.signal).then(
        (answer) => {
          setFound({ for: text, ...answer });
          if (awaited.current === text) go(answer.hits[0]);
        },
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text]);
  return (
    <div
      class="search"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget))
          setOpen(false);
      }}
    >
      <input
        ref={field}
        type="text"
        placeholder="Search everything (Ctrl K)"
        aria-label="Search everything"
        role="combobox"
        aria-expanded={isOpen && rows.length > 0}
        aria-controls="hits"
        aria-activedescendant={isOpen && rows.length > 0 ? `hit-${String(chosen)}` : undefined}
        autocomplete="off"
        spellcheck={false}
        value={wanted}
        onFocus={() => setOpen(true)}
        onInput={({ currentTarget }) => {
          setWanted(currentTarget.value);
          setOpen(true);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") setWanted("");
          if (event.key === "ArrowDown") setChosen(Math.min(chosen + 1, rows.length - 1));
          if (event.key === "ArrowUp") setChosen(Math.max(chosen - 1, 0));
          // The field may be ahead of what is drawn.
          const typed = event.currentTarget.value.trim();
          if (event.key !== "Enter" || typed === "") return;
          if (found?.for === typed && text === typed) go(rows[chosen]);
          else awaited.current = typed;
        }}
      />
      {isOpen && rows.length > 0 && (
        <ul id="hits" role="listbox" aria-label="Found">
          {rows.map((hit, index) => (
            <li
              key={hit === undefined ? "all" : `${hit.kind} ${hit.id}`}
              id={`hit-${String(index)}`}
              role="option"
              aria-selected={index === chosen}
              onPointerDown={(event) => {
                event.preventDefault();
                go(hit);
              }}
            >
              {hit === undefined ? (
                <>Events with “{text}”</>
              ) : (
                <>
                  <small>{hit.kind}</small> {hit.title} <code>{hit.id}</code>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
