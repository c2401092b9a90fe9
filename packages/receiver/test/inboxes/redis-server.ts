import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listening } from "./listening.ts";
import { freePort } from "../free-port.ts";
import type { TestServer } from "./postgres-server.ts";

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
