import type { Place } from "./parts/use-place.ts";
import { TimelineView } from "./timeline/timeline-view.tsx";

export function ViewOf({ place }: { readonly place: Place }) {
  return <TimelineView selected={place.id} />;
}
