import { createServer } from "node:net";

// The receivers: HTTP/1.1 by hand, which costs so little that the sender is measured. `/slow` answers after two
// seconds.

const ANSWER = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

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
      if (head.startsWith("POST /slow")) setTimeout(() => socket.write(ANSWER), 2000);
      else socket.write(ANSWER);
    }
  });
});
// Every address of 127.0.0.0/8: each endpoint is its own host.
server.listen(0, "0.0.0.0", () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : "");
});
// Ends with the process that started it.
process.stdin.on("end", () => process.exit()).resume();
