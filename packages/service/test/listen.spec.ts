import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { listen } from "../src/listen.ts";

it("a connection with an unread answer is closed, so that it does not keep its place for ever", async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const app = (_request: unknown, response: ServerResponse): void => {
    response.on("close", resolve);
    // More than the buffers of the kernel take.
    response.end(Buffer.alloc(64 * 1024 * 1024));
  };
  const listener = await listen(app, { port: 0, silentMs: 100 });
  onTestFinished(() => listener.close({ graceMs: 0 }));
  const socket = connect(listener.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  await closed;
  expect(socket.bytesRead).toBeLessThan(1024 * 1024);
});
