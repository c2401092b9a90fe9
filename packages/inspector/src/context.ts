import { createContext } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { reasonOf, type Remote } from "./remote.ts";
import type { About, Endpoint } from "./shapes.ts";

/** Values and calls that every view uses. */
export interface Inspector {
  readonly remote: Remote;
  readonly about: About;
  /** True while the sandbox does not answer: nothing can be changed. */
  readonly isOffline: boolean;
  /** Reads again what is shown. */
  readonly refresh: () => void;
  /** Moves the clock to a sandbox time, through all that is due by then. */
  readonly moveClock: (to: string) => Promise<void>;
  /** Opens the drawer of faults. */
  readonly openFaults: () => void;
  /** Shows a sentence at the foot of the page for some seconds. */
  readonly say: (text: string) => void;
}

export const InspectorContext = createContext<Inspector | undefined>(undefined);

/** Goes up when something has happened in the namespace; reads depend on it. */
export const NewsContext = createContext(0);

export function useInspector(): Inspector {
  const inspector = useContext(InspectorContext);
  if (inspector === undefined) throw new Error("a view is outside of the inspector");
  return inspector;
}

export interface Reading<T> {
  /** The last answer; `undefined` before the first. */
  readonly value: T | undefined;
  /** Reason of the last call's refusal. */
  readonly refusal: string | undefined;
}

/**
 * Reads a path now and whenever something has happened; nothing without a path. The last answer stays until the next one
 * arrives. News that arrive during a read cause one more read after it: slow reads neither pile up nor are cut off.
 */
export function useReading<T>(path: string | undefined): Reading<T> {
  const { remote } = useInspector();
  const news = useContext(NewsContext);
  const [known, setKnown] = useState<Reading<T> & { readonly path: string | undefined }>();
  const isReading = useRef(false);
  const isStale = useRef(false);
  const look = useRef((): void => undefined);
  useEffect(() => {
    if (path === undefined) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      isReading.current = true;
      isStale.current = false;
      const begun = performance.now();
      const answer = await remote.get<T>(path, signal).then(
        (value) => ({ value, refusal: undefined }),
        (error: unknown) => ({ refusal: reasonOf(error) }),
      );
      if (signal.aborted) return;
      setKnown((before) => ({
        path,
        value: before?.path === path ? before.value : undefined,
        ...answer,
      }));
      // A slow answer costs the sandbox time: news wait for twice as long.
      timer = setTimeout(
        () => {
          isReading.current = false;
          if (isStale.current) look.current();
        },
        2 * (performance.now() - begun),
      );
    };
    look.current = () => void read();
    look.current();
    return () => {
      clearTimeout(timer);
      controller.abort();
      isReading.current = false;
    };
  }, [remote, path]);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else if (isReading.current) isStale.current = true;
    else look.current();
  }, [news]);
  const isKnown = known !== undefined && withoutQuery(known.path) === withoutQuery(path);
  return isKnown ? known : { value: undefined, refusal: undefined };
}

/** Reads the endpoints that are not deleted, the oldest first; none of `listen`. */
export function useEndpoints(): Reading<readonly Endpoint[]> {
  const isSandbox = useInspector().about.mode === "sandbox";
  const { value, refusal } = useReading<{ readonly subscriptions: readonly Endpoint[] }>(
    isSandbox ? "/sandbox/subscriptions?limit=1000" : undefined,
  );
  const open = value?.subscriptions.filter(({ status }) => status !== "CLOSED");
  return { value: open?.toReversed(), refusal };
}

/** A list under another filter is replaced when the new one arrives, so that nothing flickers. */
const withoutQuery = (path: string | undefined): string | undefined => path?.split("?")[0];

export interface Action {
  readonly isBusy: boolean;
  /** Reason of the last call's refusal. */
  readonly refusal: string | undefined;
  /** Runs calls; resolves with their result, or `undefined` if one is refused. */
  readonly run: <T>(calls: () => Promise<T>) => Promise<T | undefined>;
}

/** Calls that change something: a refusal is kept to be shown, and what is shown is read again. */
export function useAction(): Action {
  const { refresh } = useInspector();
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const run: Action["run"] = async (calls) => {
    setBusy(true);
    setRefusal(undefined);
    try {
      return await calls();
    } catch (error) {
      setRefusal(reasonOf(error));
      return undefined;
    } finally {
      setBusy(false);
      refresh();
    }
  };
  return { isBusy, refusal, run };
}

export const views = ["events", "payments", "endpoints", "checks"] as const;

export type View = (typeof views)[number];

/** A place of the page: a view, its selection and its filters. */
export interface Place {
  readonly view: View;
  readonly id: string | undefined;
  readonly query: URLSearchParams;
}

/** Returns the place that the address names; an unknown one is the events. */
export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const look = (): void => setHash(location.hash);
    addEventListener("hashchange", look);
    // An effect runs after the page was drawn: the address may have changed in between.
    look();
    return () => removeEventListener("hashchange", look);
  }, []);
  return useMemo(() => {
    const [, name = "", id, query = ""] =
      /^#\/([a-z]*)(?:\/([\w.-]+))?(?:\?(.*))?$/.exec(hash) ?? [];
    const view = views.find((one) => one === name) ?? "events";
    return { view, id, query: new URLSearchParams(query) };
  }, [hash]);
}

/** Returns the address of a place. Members of the query that are empty are left out. */
export function addressOf(
  view: View,
  id?: string,
  query: Iterable<readonly [string, string]> = [],
): string {
  const pairs = [...query].filter(([, value]) => value !== "");
  // Names of the query are each there once.
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
  return `#/${view}${id === undefined ? "" : `/${id}`}${text === "" ? "" : `?${text}`}`;
}

/** Returns a query with some members changed; paging begins again. */
export function changed(
  query: URLSearchParams,
  change: Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] {
  return Object.entries({ ...Object.fromEntries(query), before: "", ...change });
}

/** Goes to an address without a new entry in the history, as typing in a search field does. */
export function replaceAddress(address: string): void {
  history.replaceState(null, "", address);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
