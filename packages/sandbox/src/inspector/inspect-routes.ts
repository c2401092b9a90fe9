import type { Routes } from "@countersign/service";
import type { InspectParts } from "./inspect-parts.ts";
import { getAbout } from "./routes/about.ts";
import { getChecks, postChecks, postChecksStop } from "./routes/checks.ts";
import { getDue } from "./routes/due.ts";
import { getEvent } from "./routes/event.ts";
import { getOutcomes, postOutcome } from "./routes/outcome.ts";
import { getRefund } from "./routes/refund.ts";
import { postSignature } from "./routes/signature.ts";
import { postTargetSubscription } from "./routes/subscription.ts";
import { getTimeline } from "./routes/timeline.ts";

/** What the page asks for beyond the controls, each about the namespace of the call's token. */
export function inspectRoutes(parts: InspectParts): Routes {
  return {
    "/sandbox/inspect": [getAbout(parts)],
    "/sandbox/inspect/due": [getDue],
    "/sandbox/inspect/timeline": [getTimeline(parts)],
    "/sandbox/inspect/events/:eventId": [getEvent(parts)],
    "/sandbox/inspect/refunds/:refundId": [getRefund(parts)],
    "/sandbox/inspect/signatures": [postSignature(parts)],
    "/sandbox/inspect/subscriptions": [postTargetSubscription(parts)],
    "/sandbox/inspect/checks": [getChecks(parts), postChecks(parts)],
    "/sandbox/inspect/checks/stop": [postChecksStop(parts)],
    "/sandbox/outcomes": [getOutcomes(parts), postOutcome(parts)],
  };
}
