import { useEffect, useState, type RefObject } from "react";

/** Rows that are drawn beyond what is in sight, on either side. */
const BEYOND = 12;

/** Rows from `from` up to, but not including, `to`. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Which rows of one height are in sight of a scrolling element, and some around them. */
export function useWindow(
  scroller: RefObject<HTMLElement | null>,
  { count, rowPx }: { readonly count: number; readonly rowPx: number },
): Window {
  const [seen, setSeen] = useState<Window>({ from: 0, to: 2 * BEYOND });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const look = (): void => {
      const from = Math.floor(element.scrollTop / rowPx) - BEYOND;
      const to = Math.ceil((element.scrollTop + element.clientHeight) / rowPx) + BEYOND;
      setSeen((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    look();
    element.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, [scroller, rowPx]);
  const to = Math.min(count, seen.to);
  return { from: Math.max(0, Math.min(seen.from, to)), to };
}
