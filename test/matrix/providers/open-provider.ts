import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  hostReceiver,
  httpSend,
  sandboxTarget,
  type ProviderControls,
  type ProviderTarget,
  type Send,
} from "@countersign/contract-kit";
import { openNamespace, startSandbox } from "@countersign/sandbox";
import { profiles, type Profile } from "@countersign/schemas/profiles";
import { sha256Hex, sqliteDriver, type Driver } from "@countersign/service";
import { startDeliveryProxy } from "./delivery-proxy.ts";
import type { CallFault, DeliveryFault } from "./fault-kinds.ts";

/** What a service does wrong: with calls, with deliveries, or with both. */
export interface Wrong {
  readonly call?: CallFault;
  readonly delivery?: DeliveryFault;
}

export interface OpenedProvider {
  /** The sandbox behind what is wrong with it; nothing by default. The controls are never touched. */
  readonly target: (wrong?: Wrong) => ProviderTarget;
  readonly close: () => Promise<void>;
}

export interface ProviderOptions {
  /** Default: the standard one, with less time for an attempt. */
  readonly profile?: Profile;
  /** The store; the sandbox closes it. Default: a SQLite file. */
  readonly driver?: Driver;
}

/** Milliseconds of an attempt, 15 000 in the built-in profile: enough for a busy machine. */
export const ATTEMPT_MS = 2500;

export const quick: Profile = {
  ...profiles.standard,
  delivery: { ...profiles.standard.delivery, timeoutMs: ATTEMPT_MS },
};

/** A real sandbox on a real socket, and a place for each target to do wrong. */
export async function openProvider({
  profile = quick,
  driver: given,
}: ProviderOptions = {}): Promise<OpenedProvider> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-provider-"));
  const driver = given ?? sqliteDriver(join(folder, "sandbox.db"));
  const sandbox = await startSandbox({ driver, profile, port: 0 });
  await openNamespace({ driver, profile, seed: 1, token: TOKEN });
  const { send, close } = httpSend(sandbox.url);
  const receiver = await hostReceiver({ deliveryMs: 2000 });
  const proxy = await startDeliveryProxy(profile);
  const { url } = sandbox;
  return {
    target: ({ call, delivery } = {}) => {
      const rerouted: Send = delivery === undefined ? send : proxy.reroute(send, delivery);
      const wrong: Send = call === undefined ? rerouted : (one) => call(one, rerouted);
      const token = (): Promise<string> => Promise.resolve(TOKEN);
      const interfaceOf = { url, send: wrong };
      // The deadline of an attempt is waited for where it is short.
      const slow = profile.delivery.timeoutMs === ATTEMPT_MS;
      const named = { url, send, profile, token, receiver, slow };
      const made = sandboxTarget({ ...named, interface: interfaceOf });
      // Tokens live in real time, which no call of a sandbox moves.
      return withExpiry(made, async (ended) => {
        const text = `UPDATE tokens SET expires_at = 1 WHERE hash = $1`;
        await driver.transaction((tx) => tx.query(text, [sha256Hex(ended)]));
      });
    },
    close: async () => {
      close();
      receiver.close();
      proxy.close();
      await sandbox.close({ graceMs: 0 });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const TOKEN = "token-of-the-first-namespace";

function withExpiry(
  target: ProviderTarget,
  expire: (token: string) => Promise<void>,
): ProviderTarget {
  return {
    ...target,
    controls: (watch): ProviderControls => {
      const { merchant, ...controls } = target.controls?.(watch) ?? {};
      return {
        ...controls,
        tokens: { expire },
        ...(merchant && { merchant: async () => withExpiry(await merchant(), expire) }),
      };
    },
  };
}
