import { memo } from "react";
import { DeliveryBadge } from "../parts/delivery-badge.tsx";
import { Time } from "../parts/time.tsx";
import { addressOf } from "../parts/use-place.ts";
import type { Row } from "./timeline-store.ts";

/** One event of the timeline. */
export const TimelineRowView = memo(function TimelineRowView({
  row,
  isSelected,
}: {
  readonly row: Row;
  readonly isSelected: boolean;
}) {
  return (
    <a
      className={`row ${row.category.toLowerCase()}`}
      href={addressOf("timeline", row.id)}
      aria-current={isSelected ? "true" : undefined}
    >
      <span className="row-type">{row.type}</span>
      <span className="row-badges">
        <DeliveryBadge states={[...row.states.values()]} />
      </span>
      <span className="row-subject mono">{row.subject ?? row.id}</span>
      <span className="row-time">
        <Time at={row.timestamp} />
      </span>
    </a>
  );
});
