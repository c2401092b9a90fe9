import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { addressOf, type View } from "./context.ts";

/** A modal dialog that is open as long as it is drawn. */
export function Dialog({
  title,
  onClose,
  isDrawer = false,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly isDrawer?: boolean;
  readonly children: ComponentChildren;
}) {
  const place = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = place.current;
    dialog?.showModal();
    // Gives the focus back, unless the reader has closed the dialog and gone on.
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={place}
      class={isDrawer ? "drawer" : ""}
      aria-labelledby={heading}
      onClose={() => {
        // The page has removed this dialog already, and another one may be in its place.
        if (place.current !== null) onClose();
      }}
      onClick={(event) => {
        if (event.target === place.current) place.current?.close();
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={heading}>{title}</h2>
          <button
            type="button"
            class="quiet"
            aria-label="Close"
            onClick={() => place.current?.close()}
          >
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** A button with a popover below it, which a choice in it closes. */
export function Menu({
  label,
  children,
  isWide = false,
}: {
  readonly label: ComponentChildren;
  readonly children: ComponentChildren;
  /** True for one with fields, which stays open. */
  readonly isWide?: boolean;
}) {
  const id = useId();
  const popover = useRef<HTMLDivElement>(null);
  return (
    <>
      <button type="button" class="menu-button" popovertarget={id}>
        {label} <span aria-hidden="true">▾</span>
      </button>
      <div
        ref={popover}
        id={id}
        popover="auto"
        class={`menu ${isWide ? "wide" : ""}`}
        onClick={(event) => {
          const { target } = event;
          if (!isWide && target instanceof Element && target.closest("button, a") !== null)
            popover.current?.hidePopover();
        }}
      >
        {children}
      </div>
    </>
  );
}

/** Links to older rows and back to the newest. */
export function Pager({
  view,
  query,
  before,
}: {
  readonly view: View;
  readonly query: URLSearchParams;
  readonly before: string | null;
}) {
  const pairs = Object.fromEntries(query);
  const isFirst = (pairs["before"] ?? "") === "";
  if (isFirst && before === null) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {!isFirst && (
        <a href={addressOf(view, undefined, Object.entries({ ...pairs, before: "" }))}>← Newest</a>
      )}
      {before !== null && (
        <a href={addressOf(view, undefined, Object.entries({ ...pairs, before }))}>Older →</a>
      )}
    </nav>
  );
}

const scrolled = new Map<string, number>();
const WIDTH_KEY = "countersign-detail-width";

/**
 * A list and the detail of what is selected in it, side by side; in a narrow page one of them. The list keeps its place
 * when the reader comes back to it.
 */
export function Split({
  title,
  back,
  isDetail,
  list,
  children,
}: {
  readonly title: string;
  /** The address of the list. */
  readonly back: string;
  readonly isDetail: boolean;
  readonly list: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const place = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(Number(localStorage.getItem(WIDTH_KEY)) || 46);
  useEffect(() => {
    place.current?.style.setProperty("--detail", `${String(width)}%`);
    localStorage.setItem(WIDTH_KEY, String(width));
  }, [width]);
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (scroller.current) scroller.current.scrollTop = scrolled.get(back) ?? 0;
    });
    return () => cancelAnimationFrame(frame);
  }, [back]);
  const clamp = (percent: number): void => setWidth(Math.min(70, Math.max(30, percent)));
  return (
    <div ref={place} class={`split ${isDetail ? "has-detail" : ""}`}>
      <section
        ref={scroller}
        class="list"
        aria-label={title}
        tabIndex={-1}
        onScroll={(event) => scrolled.set(back, event.currentTarget.scrollTop)}
      >
        {!isDetail && <h1 class="hidden">{title}</h1>}
        {list}
      </section>
      <div
        class="splitter"
        role="separator"
        aria-orientation="vertical"
        aria-label="Width of the detail; press to switch it"
        aria-valuenow={Math.round(width)}
        aria-valuemin={30}
        aria-valuemax={70}
        tabIndex={0}
        onKeyDown={({ key }) => {
          if (key === "ArrowLeft") clamp(width + 4);
          if (key === "ArrowRight") clamp(width - 4);
        }}
        onDblClick={() => clamp(width > 50 ? 40 : 62)}
        onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
        onPointerMove={({ buttons, clientX }) => {
          if (buttons === 1) clamp(100 - (clientX / innerWidth) * 100);
        }}
      />
      <section class="detail" aria-label={isDetail ? "Selected" : "Next steps"}>
        {isDetail && (
          <a class="back" href={back}>
            ← {title}
          </a>
        )}
        {children}
      </section>
    </div>
  );
}

/** A column of a table. */
export interface Column<Row> {
  readonly name: string;
  /** Class of its cells, by which a narrow list hides it. */
  readonly kind?: string;
  readonly cell: (row: Row) => ComponentChildren;
}

/** A table whose rows lead to their detail; empty without rows. */
export function Table<Row>({
  caption,
  kind = "",
  columns,
  rows,
  keyOf,
  isSelected,
}: {
  readonly caption: string;
  readonly kind?: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly isSelected: (row: Row) => boolean;
}) {
  if (rows.length === 0) return null;
  return (
    <table class={`rows ${kind}`}>
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.name} scope="col" class={column.kind}>
              <span class={column.kind === "c-pick" ? "hidden" : ""}>{column.name}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} aria-selected={isSelected(row)}>
            {columns.map((column) => (
              <td key={column.name} class={column.kind}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
