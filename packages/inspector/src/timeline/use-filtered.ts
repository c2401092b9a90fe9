import { useEffect, useMemo, useState } from "react";
import type { Filter } from "./filter-bar.tsx";
import { rowFilter } from "./row-filter.ts";
import type { Row } from "./timeline-store.ts";

/** Rows that are looked at in one go: a few milliseconds, between which keys are heard. */
const AT_ONCE = 10_000;

/** The rows that pass. While they are looked for, those of before stay. */
export function useFiltered(rows: readonly Row[], filter: Filter): readonly Row[] {
  const passes = useMemo(() => rowFilter(filter), [filter]);
  const [found, setFound] = useState<readonly Row[]>();
  useEffect(() => {
    if (passes === undefined) {
      setFound(undefined);
      return undefined;
    }
    const kept: Row[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (from: number): void => {
      for (const row of rows.slice(from, from + AT_ONCE)) if (passes(row)) kept.push(row);
      if (from + AT_ONCE >= rows.length) setFound(kept);
      else timer = setTimeout(look, 0, from + AT_ONCE);
    };
    timer = setTimeout(look, 0, 0);
    return () => clearTimeout(timer);
  }, [passes, rows]);
  return passes === undefined ? rows : (found ?? rows);
}
