import { useEffect, useRef, useState } from "preact/hooks";
import { addressOf, useInspector } from "./context.ts";

interface Hit {
  readonly kind: "event" | "payment" | "customer" | "endpoint";
  readonly id: string;
  readonly title: string;
}

function addressOfHit({ kind, id }: Hit): string {
  // A customer's page are the payments.
  if (kind === "customer") return addressOf("payments", undefined, [["q", id]]);
  return addressOf(`${kind}s`, id);
}

/** Milliseconds without a key after which the text is searched. */
const PAUSE_MS = 120;

/** Searches everything: ids, text of payloads, names and URLs. Ctrl/Cmd-K leads here, Enter to the first hit, Tab to the others. */
export function Search() {
  const { remote } = useInspector();
  const field = useRef<HTMLInputElement>(null);
  const [wanted, setWanted] = useState("");
  const [found, setFound] = useState<{ readonly for: string; readonly hits: readonly Hit[] }>();
  // Enter before the answer goes to its first hit: the text that it was pressed for.
  const awaited = useRef("");
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      field.current?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const text = wanted.trim();
  const all = addressOf("events", undefined, [["q", text]]);
  const close = (): void => {
    awaited.current = "";
    setWanted("");
    field.current?.blur();
  };
  const go = ([first]: readonly Hit[]): void => {
    location.hash = first === undefined ? all : addressOfHit(first);
    close();
  };
  useEffect(() => {
    if (text === "") return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const path = `/sandbox/inspect/search?q=${encodeURIComponent(text)}`;
      remote.get<{ hits: readonly Hit[] }>(path, controller.signal).then(
        ({ hits }) => {
          setFound({ for: text, hits });
          if (awaited.current === text) go(hits);
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
    <div class="search" role="search">
      <input
        ref={field}
        type="search"
        placeholder="Search (Ctrl K)"
        aria-label="Search everything"
        autocomplete="off"
        spellcheck={false}
        value={wanted}
        onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === "Escape") close();
          // The field may be ahead of what is drawn.
          const typed = currentTarget.value.trim();
          if (key !== "Enter" || typed === "") return;
          if (found?.for === typed && text === typed) go(found.hits);
          else awaited.current = typed;
        }}
      />
      {text !== "" && (
        <nav aria-label="Found" class="found" onClick={close}>
          {(found?.for === text ? found.hits : []).map((hit) => (
            <a key={`${hit.kind} ${hit.id}`} href={addressOfHit(hit)}>
              <small>{hit.kind}</small> {hit.title} <code>{hit.id}</code>
            </a>
          ))}
          <a href={all}>Events with “{text}”</a>
        </nav>
      )}
    </div>
  );
}
