import type { ReactNode } from "react";
import { addressOf, type View } from "./use-place.ts";

export interface SplitViewProps {
  readonly view: View;
  readonly title: string;
  /** What `#/VIEW/new` makes; absent where the view makes nothing. */
  readonly make?: string;
  readonly selected: string | undefined;
  readonly list: ReactNode;
  readonly children: ReactNode;
}

/** Selected while something is made. */
export const NEW = "new";

/** A list and the detail of what is selected in it; in a narrow page one of them. */
export function SplitView({ view, title, make, selected, list, children }: SplitViewProps) {
  return (
    <div className={`split ${selected === undefined ? "" : "has-detail"}`}>
      <section className="list scrolls" aria-label={title}>
        {make !== undefined && (
          <p className="list-head">
            <a className="button" href={addressOf(view, NEW)}>
              {make}
            </a>
          </p>
        )}
        {list}
      </section>
      <section className="detail" aria-label="Selected">
        {selected !== undefined && (
          <a className="back" href={addressOf(view)}>
            ← {title}
          </a>
        )}
        {children}
      </section>
    </div>
  );
}
