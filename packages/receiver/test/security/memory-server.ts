import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { heldMemory } from "../../../../test/held-memory.ts";
import { silent } from "../fixtures.ts";

/** The server's answer to any message. */
export interface Measured {
  readonly requests: number;
  /** Bytes that the process holds after a collection. */
  readonly held: number;
}

// A server in its own process, whose memory is only the receiver's: sends its port, then what it has measured when asked.
const answer = toNode(createReceiver({ ...silent, now: Date.now, inbox: memoryInbox() }));
let requests = 0;
const server = createServer((incoming, outgoing) => {
  requests += 1;
  void answer(incoming, outgoing);
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("message", () => process.send?.({ requests, held: heldMemory() } satisfies Measured));
process.on("disconnect", () => process.exit());
