import type { Routes } from "@countersign/service";
import type { InspectParts } from "./inspect-parts.ts";
import { getAbout } from "./routes/about.ts";
import { getDue } from "./routes/due.ts";
import { getEvent } from "./routes/event.ts";
import { getTimeline } from "./routes/timeline.ts";

/** What the page asks for beyond the controls, each about the namespace of the call's token. */
export function inspectRoutes(parts: InspectParts): Routes {
  return {
    "/sandbox/inspect": [getAbout(parts)],
    "/sandbox/inspect/due": [getDue],
    "/sandbox/inspect/timeline": [getTimeline],
    "/sandbox/inspect/events/:eventId": [getEvent(parts)],
  };
}
