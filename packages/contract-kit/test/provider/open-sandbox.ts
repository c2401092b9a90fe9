import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostReceiver, httpSend, type ProviderTarget, type Send } from "@countersign/contract-kit";
import { openNamespace, serveSandbox } from "@countersign/sandbox/internal";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { type Driver, sqliteDriver } from "@countersign/service/internal";

export const TOKEN = "token-of-the-first-namespace";

/** The standard profile with closed answers and less time for an attempt, which is still enough on a busy machine. */
export const quick: Profile = {
  ...profiles.standard,
  delivery: { ...profiles.standard.delivery, timeoutMs: 5000 },
  deprecation: { ...profiles.standard.deprecation, additive: "refused" },
};

export interface OpenedSandbox {
  readonly url: string;
  /** Ids of the payments that every namespace begins with. */
  readonly payments: Readonly<Record<"settled" | "recent", string>>;
  readonly send: Send;
  /** The sandbox as a target. Calls of the interface go through `faulty`; those that prepare states never do. */
  readonly target: (faulty?: (send: Send) => Send) => ProviderTarget;
  readonly close: () => Promise<void>;
}

/** Starts a real sandbox on a real socket, by default over a new SQLite file. */
export async function openSandbox({
  profile = profiles.standard,
  driver: given,
  deliveryMs = 10_000,
}: {
  readonly profile?: Profile;
  readonly driver?: Driver | undefined;
  /** Longest wait for an attempt, in milliseconds. */
  readonly deliveryMs?: number;
} = {}): Promise<OpenedSandbox> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-sandbox-"));
  const driver = given ?? sqliteDriver(join(folder, "sandbox.db"));
  const delivery = { deadlineMs: profile.delivery.timeoutMs };
  const sandbox = await serveSandbox({ driver, profile, delivery, port: 0 });
  const { seeded } = await openNamespace({ driver, profile, seed: 1, token: TOKEN });
  if (seeded === undefined) throw new Error("the namespace was not seeded");
  const { url } = sandbox;
  const { send, close } = httpSend(url, { timeoutMs: 60_000 });
  const states = httpSend(`${url}/sandbox/states`, { timeoutMs: 60_000 });
  const receiver = await hostReceiver({ deliveryMs });
  const token = (): Promise<string> => Promise.resolve(TOKEN);
  return {
    url,
    payments: seeded.payments,
    send,
    target: (faulty = (sent) => sent) => ({
      role: "provider",
      url,
      send: faulty(send),
      token,
      profile,
      receiver,
      slow: profile.delivery.timeoutMs === quick.delivery.timeoutMs,
      states: { url: `${url}/sandbox/states`, send: states.send, token },
    }),
    close: async () => {
      close();
      states.close();
      receiver.close();
      await sandbox.close({ graceMs: 0 });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
