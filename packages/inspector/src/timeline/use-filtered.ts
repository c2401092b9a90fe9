import { useEffect, useMemo, useState } from "react";
import type { Filter } from "./filter-bar.tsx";
import { FoundRows } from "./found-rows.ts";
import { rowFilter } from "./row-filter.ts";
import { allRows, type ShownRows } from "./shown-rows.ts";
import type { Snapshot } from "./timeline-store.ts";

/** Milliseconds of looking in one go, between which keys are heard. */
const SLICE_MS = 5;

/** The rows that pass. While they are looked for, those of before stay. */
export function useFiltered(snapshot: Snapshot, filter: Filter): ShownRows {
  const passes = useMemo(() => rowFilter(filter), [filter]);
  const { generation } = snapshot;
  const search = useMemo(
    () => passes && { found: new FoundRows(passes), generation },
    [passes, generation],
  );
  const [found, setFound] = useState<ShownRows>();
  useEffect(() => {
    if (search === undefined) {
      setFound(undefined);
      return undefined;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      const end = performance.now() + SLICE_MS;
      const isDone = search.found.look(snapshot, () => performance.now() >= end);
      if (isDone) setFound(search.found.shown(snapshot));
      else timer = setTimeout(look, 0);
    };
    timer = setTimeout(look, 0);
    return () => clearTimeout(timer);
  }, [search, snapshot]);
  const all = useMemo(() => allRows(snapshot), [snapshot]);
  return passes === undefined ? all : (found ?? all);
}
