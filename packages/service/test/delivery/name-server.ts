import { createSocket } from "node:dgram";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** The answer for a name: IPv4 addresses, `"silence"`, or no address. */
export type Said = readonly string[] | "silence";

const HEADER_BYTES = 12;
const TYPE_A = 1;

/** A name server on a free loopback port until the running test ends. */
export async function startNameServer(answer: (name: string, count: number) => Said) {
  /** Names that were looked up, in the order of the IPv4 queries. */
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (message, { port, address }) => {
    const { name, end } = nameIn(message);
    const isForA = message.readUInt16BE(end) === TYPE_A;
    if (isForA) asked.push(name);
    const said = isForA ? answer(name, asked.length) : [];
    if (said !== "silence")
      socket.send(answerTo(message.subarray(0, end + 4), said), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

function nameIn(message: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const length = message.readUInt8(at);
    at += 1;
    if (length === 0) return { name: labels.join("."), end: at };
    labels.push(message.toString("latin1", at, at + length));
    at += length;
  }
}

/** RFC 1035, 4.1: the question again, and a record that points to its name for each address. */
function answerTo(question: Buffer, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  // A pointer to the name, type A, class IN, a time to live of 0, and four bytes.
  const record = Buffer.from("c00c00010001000000000004", "hex");
  const records = addresses.map((address) =>
    Buffer.concat([record, Buffer.from(address.split(".").map(Number))]),
  );
  return Buffer.concat([head, ...records]);
}
