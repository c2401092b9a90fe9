import type { Server } from "node:http";
import type { Receiver } from "@countersign/receiver";

/** One way to mount a receiver at `/webhooks`, behind a server that listens. */
export interface Mount {
  readonly name: string;
  /** Whether the adapter itself sees the body arrive; a gateway hands over a whole one. */
  readonly streams: boolean;
  /** Whether the adapter itself ends a connection whose body it left unread; on the Web, the runtime does. */
  readonly endsConnections: boolean;
  /** What the adapter still sees of a header that stands twice. */
  readonly seesDuplicates: boolean;
  /** Whether bytes that are no UTF-8 reach the adapter as they are. */
  readonly keepsBytes: boolean;
  serve(receiver: Receiver): Promise<Server> | Server;
}
