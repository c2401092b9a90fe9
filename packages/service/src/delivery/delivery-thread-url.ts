import { extname } from "node:path";

/**
 * The module of a thread that claims and settles for the delivery engine: `thread` of `sqliteDriver`. The
 * thread that signs and sends goes on meanwhile (`docs/scaling.md`).
 */
export const deliveryThread: URL = new URL(
  `./delivery-thread${extname(import.meta.url)}`,
  import.meta.url,
);
