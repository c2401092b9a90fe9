import type { ToldDelivery, ToldEvent, ToldOutcome } from "./shapes.ts";

/** Whether news come in. */
export type StreamState = "live" | "connecting" | "ended";

export interface StreamReader {
  readonly event: (event: ToldEvent) => void;
  readonly delivery: (delivery: ToldDelivery) => void;
  readonly attempt: (attempt: { readonly eventId: string }) => void;
  readonly outcome: (outcome: ToldOutcome) => void;
  /** A run of the checks has come a step further. */
  readonly check: () => void;
  /** News may have been missed: what is known is to be read again. */
  readonly gap: () => void;
  /** `ended`: the sandbox refuses this session, which another run of it does. */
  readonly state: (state: StreamState) => void;
}

/**
 * Listens to the namespace's stream. The browser connects again by itself and names the last news that it
 * has; where the sandbox cannot go on from there it says `gap`.
 */
export function listen(reader: StreamReader): () => void {
  const source = new EventSource("/inspector/api/sandbox/stream");
  const on = (name: string, tell: (text: string) => void): void =>
    source.addEventListener(name, (message: MessageEvent<string>) => tell(message.data));
  // The sandbox's own news, of each name JSON of one shape.
  on("event", (text) => reader.event(JSON.parse(text) as ToldEvent));
  on("delivery", (text) => reader.delivery(JSON.parse(text) as ToldDelivery));
  on("attempt", (text) => reader.attempt(JSON.parse(text) as { readonly eventId: string }));
  on("outcome", (text) => reader.outcome(JSON.parse(text) as ToldOutcome));
  on("check", () => reader.check());
  on("gap", () => reader.gap());
  source.addEventListener("open", () => reader.state("live"));
  source.addEventListener("error", () =>
    reader.state(source.readyState === EventSource.CLOSED ? "ended" : "connecting"),
  );
  return () => source.close();
}
