import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, type TestServer } from "./postgres-server.ts";

/** The server that Debian's package installed. */
export const redisBinary: string | undefined = ["/usr/bin/redis-server"].find((file) =>
  existsSync(file),
);

/** A Redis of the test's own, on loopback, that forgets everything when it ends. */
export async function startRedis(): Promise<TestServer> {
  if (redisBinary === undefined) throw new Error("no redis-server");
  const folder = mkdtempSync(join(tmpdir(), "countersign-redis-"));
  const port = await freePort();
  const options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder];
  const server = spawn(redisBinary, ["--port", String(port), ...options], { stdio: "ignore" });
  await listening(port);
  return {
    port,
    stop: () => {
      server.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves when the port takes a connection. */
async function listening(port: number): Promise<void> {
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
      socket.unref();
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
