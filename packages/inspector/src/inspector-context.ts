import { createContext, useContext } from "react";
import type { CallLog } from "./parts/call-log.ts";
import type { Remote } from "./remote/remote.ts";
import type { About } from "./remote/shapes.ts";
import type { TimelineStore } from "./timeline/timeline-store.ts";

/** What every view works with. */
export interface Inspector {
  readonly remote: Remote;
  readonly about: About;
  readonly timeline: TimelineStore;
  readonly calls: CallLog;
  /** Something was changed from here: what is shown is read again. */
  readonly refresh: () => void;
}

export const InspectorContext = createContext<Inspector | undefined>(undefined);

/**
 * Goes up whenever something has happened in the namespace; reads depend on it. A context of its own: what
 * reads nothing is not drawn again five times a second.
 */
export const NewsContext = createContext(0);

export function useInspector(): Inspector {
  const inspector = useContext(InspectorContext);
  if (inspector === undefined) throw new Error("a view stands outside of the inspector");
  return inspector;
}
