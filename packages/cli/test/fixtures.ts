import { spawnSync } from "node:child_process";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { profiles } from "@countersign/schemas/profiles";
import { providerOf } from "@countersign/schemas/provider-of";
import { expect } from "vitest";
import { listen } from "../../service/test/sandbox/listen.ts";

export const TOKEN = "a-token-of-sixteen-characters-or-more";
export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

export const encryptionKey = (id: string): string =>
  `${id}:${Buffer.alloc(32, id).toString("base64")}`;
export const keys = { COUNTERSIGN_ENCRYPTION_KEYS: encryptionKey("k1") };

/**
 * The arguments of `skip` for a test that needs a tool. The tool is run: a version manager's command may be on PATH without a
 * toolchain.
 */
export function missing(tool: string, flag = "--version"): [boolean, string] {
  const { status } = spawnSync(tool, [flag], { stdio: "ignore" });
  return [status !== 0, `${tool} ${flag} does not run here`];
}

export function failedWith(name: string): unknown {
  const code = name.startsWith("CS_") ? name : `CS_CLI_${name}`;
  const text = new RegExp(`^countersign: ${code}: [^]*#${code.toLowerCase()}$`, "m");
  return { status: 2, out: "", err: expect.stringMatching(text) as unknown };
}
/** For members: a matcher of Vitest's is of the type any. */
export const containing = (text: string): unknown => expect.stringContaining(text);
export const READY: unknown = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);
/** This environment with a locale that is installed everywhere: bash warns of another one. */
export const knownLocale = { ...process.env, LC_ALL: "C" };

/** Serves a receiver until the test ends. @returns Its URL, and the types that its handlers saw. */
export async function openMerchant(
  secrets: readonly string[],
  profile: "standard" | "x-signature" = "standard",
): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const fallback = (event: { readonly type: string }): void => void seen.push(event.type);
  const options = { secrets, fallback, inbox: memoryInbox(), log: false } as const;
  const provider = providerOf(profiles[profile]);
  const receive = toNode(createReceiver({ ...options, provider }));
  return { url: await listen((request, response) => void receive(request, response)), seen };
}
