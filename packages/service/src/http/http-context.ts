import type { Context } from "../use-cases/context.ts";
import type { Logger } from "./logger.ts";
import type { Metrics } from "./metrics.ts";
import type { OutsideTokens } from "./outside-tokens.ts";
import type { Rates } from "./rates.ts";

/** What the HTTP interface works with beside the use cases. */
export interface HttpContext extends Context {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** `undefined` where nothing is limited. */
  readonly rates: Rates | undefined;
  /** `undefined` where this service's own tokens alone are taken. */
  readonly outsideTokens: OutsideTokens | undefined;
  /** Whether each answer is judged by its schema before it is written. */
  readonly checksAnswers: boolean;
  /** Whether the service is about to close. */
  readonly isDraining: () => boolean;
}
