import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { addressOf, type View } from "./context.ts";

/** A modal dialog that is open as long as it is drawn. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
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
        <header class="buttons between">
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
        onClick={({ target }) => {
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
  const isFirst = (query.get("before") ?? "") === "";
  const at = (cursor: string): string =>
    addressOf(view, undefined, Object.entries({ ...Object.fromEntries(query), before: cursor }));
  if (isFirst && before === null) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {!isFirst && <a href={at("")}>← Newest</a>}
      {before !== null && <a href={at(before)}>Older →</a>}
    </nav>
  );
}

/** A list and the detail of what is selected in it, side by side; in a narrow page one of them. */
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
  return (
    <div class={`split ${isDetail ? "has-detail" : ""}`}>
      <section class="list" aria-label={title} tabIndex={-1}>
        {!isDetail && <h1 class="hidden">{title}</h1>}
        {list}
      </section>
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

/** Tabs that are links; the shown one is marked. */
export function Tabs({
  label,
  kind = "",
  tabs,
}: {
  readonly label: string;
  readonly kind?: string;
  readonly tabs: readonly {
    readonly key: string;
    readonly href: string;
    readonly isShown: boolean;
    readonly text: ComponentChildren;
  }[];
}) {
  return (
    <nav class={`tabs ${kind}`} aria-label={label}>
      {tabs.map(({ key, href, isShown, text }) => (
        <a key={key} href={href} aria-current={isShown ? "true" : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
