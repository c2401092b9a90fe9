import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface HostileServers {
  readonly kinds: readonly string[];
  readonly urlOf: (kind: string) => URL;
  stop(): void;
}

/** A server of each kind in a process of its own: what they do to themselves is not the sender's. */
export async function startHostileServers(): Promise<HostileServers> {
  const script = fileURLToPath(new URL("hostile-process.ts", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const [data] = (await once(child.stdout, "data")) as [Buffer];
  const urls = JSON.parse(String(data)) as Record<string, string>;
  return {
    kinds: Object.keys(urls),
    urlOf: (kind) => new URL(urls[kind] ?? ""),
    stop: () => void child.kill("SIGKILL"),
  };
}
