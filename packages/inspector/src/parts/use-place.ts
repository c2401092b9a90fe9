import { useMemo, useSyncExternalStore } from "react";

/** Where the page is: a view and, in it, what is selected. */
export interface Place {
  readonly view: View;
  readonly id: string | undefined;
}

export const views = [
  "timeline",
  "payments",
  "customers",
  "subscriptions",
  "receiver",
  "checks",
  "faults",
] as const;

export type View = (typeof views)[number];

/** The place that the address names; an unknown one is the timeline. */
export function usePlace(): Place {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return useMemo(() => {
    const [, name = "", id] = /^#\/([a-z]*)(?:\/([\w-]+))?$/.exec(hash) ?? [];
    return { view: views.find((view) => view === name) ?? "timeline", id };
  }, [hash]);
}

/** The address of a place. */
export function addressOf(view: View, id?: string): string {
  return id === undefined ? `#/${view}` : `#/${view}/${id}`;
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}
