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

export interface OpenedTarget {
  readonly send: Send;
  /** The sandbox as a target. Calls of the interface go through `faulty`; those that prepare states never do. */
  readonly target: (faulty?: (send: Send) => Send) => ProviderTarget;
  readonly close: () => Promise<void>;
}

/** Opens a running sandbox as a target. */
export async function openTargetAt(
  url: string,
  { token, profile }: { readonly token: string; readonly profile: Profile },
): Promise<OpenedTarget> {
  const { send, close } = httpSend(url, { timeoutMs: 60_000 });
  const states = httpSend(`${url}/sandbox/states`, { timeoutMs: 60_000 });
  const receiver = await hostReceiver({ deliveryMs: 10_000 });
  const tokenOf = (): Promise<string> => Promise.resolve(token);
  return {
    send,
    target: (faulty = (sent) => sent) => ({
      role: "provider",
      url,
      send: faulty(send),
      token: tokenOf,
      profile,
      receiver,
      slow: profile.delivery.timeoutMs === quick.delivery.timeoutMs,
      states: { url: `${url}/sandbox/states`, send: states.send, token: tokenOf },
    }),
    close: () => {
      close();
      states.close();
      receiver.close();
      return Promise.resolve();
    },
  };
}

export interface OpenedSandbox extends OpenedTarget {
  readonly url: string;
  /** Ids of the payments that every namespace begins with. */
  readonly payments: Readonly<Record<"settled" | "recent", string>>;
}

/** Starts a real sandbox on a real socket, by default over a new SQLite file. */
export async function openSandbox({
  profile = profiles.standard,
  driver: given,
}: {
  readonly profile?: Profile;
  readonly driver?: Driver | undefined;
} = {}): Promise<OpenedSandbox> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-sandbox-"));
  const driver = given ?? sqliteDriver(join(folder, "sandbox.db"));
  const delivery = { deadlineMs: profile.delivery.timeoutMs };
  const sandbox = await serveSandbox({ driver, profile, delivery, port: 0 });
  const { seeded } = await openNamespace({ driver, profile, seed: 1, token: TOKEN });
  if (seeded === undefined) throw new Error("the namespace was not seeded");
  const opened = await openTargetAt(sandbox.url, { token: TOKEN, profile });
  return {
    ...opened,
    url: sandbox.url,
    payments: seeded.payments,
    close: async () => {
      await opened.close();
      await sandbox.close({ graceMs: 0 });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
