import { createServer } from "node:net";

// A merchants' side that costs next to nothing: HTTP/1.1 by hand, so that the sender is what is measured.
// `/slow` answers after two seconds; `GET /arrivals` gives the ids that came and when.

const SLOW_MS = 2000;
const ANSWER = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

let arrivals: string[] = [];

function answerTo(head: string, reply: (text: string) => void): void {
  if (head.startsWith("GET")) {
    const text = arrivals.join("\n");
    arrivals = [];
    reply(`HTTP/1.1 200 OK\r\ncontent-length: ${String(text.length)}\r\n\r\n${text}`);
    return;
  }
  if (head.startsWith("POST /timed")) {
    const id = /webhook-id: (\S+)/i.exec(head)?.[1] ?? "";
    arrivals.push(`${id} ${String(performance.timeOrigin + performance.now())}`);
  }
  if (head.startsWith("POST /slow")) setTimeout(() => reply(ANSWER), SLOW_MS);
  else reply(ANSWER);
}

const server = createServer((socket) => {
  let pending: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.on("data", (data: Buffer) => {
    pending = pending.length === 0 ? data : Buffer.concat([pending, data]);
    for (;;) {
      const end = pending.indexOf("\r\n\r\n");
      if (end === -1) return;
      const head = pending.toString("latin1", 0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (pending.length < end + 4 + length) return;
      pending = pending.subarray(end + 4 + length);
      answerTo(head, (text) => socket.write(text));
    }
  });
});
// Every address of 127.0.0.0/8: each endpoint of a benchmark is a host of its own.
server.listen(0, "0.0.0.0", () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : "");
});
// Ends with whoever started it.
process.stdin.on("end", () => process.exit()).resume();
