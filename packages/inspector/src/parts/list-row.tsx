import { addressOf, type View } from "./use-place.ts";

export interface ListRowProps {
  readonly view: View;
  readonly id: string;
  readonly isSelected: boolean;
  readonly title: string;
  readonly status: string;
  readonly note: string;
}

/** One entry of a list of resources. */
export function ListRow({ view, id, isSelected, title, status, note }: ListRowProps) {
  return (
    <a
      className="row resource"
      href={addressOf(view, id)}
      aria-current={isSelected ? "true" : undefined}
    >
      <span className="row-type">{title}</span>
      <span className="row-badges">
        <span className={`badge ${status}`}>{status}</span>
      </span>
      <span className="row-subject mono">{id}</span>
      <span className="row-time">{note}</span>
    </a>
  );
}
