import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { silent } from "../fixtures.ts";

// A server in its own process, whose memory is only the receiver's: sends its port, then its RSS when asked.
const answer = toNode(createReceiver({ ...silent, now: Date.now, inbox: memoryInbox() }));
const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("message", () => process.send?.(process.memoryUsage.rss()));
process.on("disconnect", () => process.exit());
