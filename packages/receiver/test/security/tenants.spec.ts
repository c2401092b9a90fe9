import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, expect, it, vi } from "vitest";
import { genuine, nameOf, recordingReceiver, secret } from "../fixtures.ts";

const hmacs = vi.spyOn(crypto, "createHmac");
const points = vi.spyOn(crypto, "verify");
// Modules that import these by name meet the spies too.
syncBuiltinESMExports();
afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const { publicKey } = crypto.generateKeyPairSync("ed25519");
const { x = "" } = publicKey.export({ format: "jwk" });
const tenants: Readonly<Record<string, readonly string[]>> = {
  hmac: [secret],
  ed25519: [`whpk_${Buffer.from(x, "base64url").toString("base64")}`],
  unknown: [],
};
const forgedHmac = `v1,${Buffer.alloc(32).toString("base64")}`;
const forgedPoint = `v1a,${Buffer.alloc(64).toString("base64")}`;

it("a forged attempt costs the same cryptography for a tenant with either kind of key as for an unknown one", async () => {
  const { receiver } = recordingReceiver({
    secrets: ({ path = "" }) => ({ tenant: "", secrets: tenants[path] ?? [] }),
  });
  const costOf = async (path: string, signature: string): Promise<readonly unknown[]> => {
    const headers = { ...genuine.headers, "webhook-signature": signature };
    const attempt = { ...genuine, path, headers };
    // The first attempt makes the keys.
    await receiver.receive(attempt);
    vi.clearAllMocks();
    const refusal = nameOf(await receiver.receive(attempt));
    return [refusal, hmacs.mock.calls.length, points.mock.calls.length];
  };
  for (const [signature, ...counts] of [
    [forgedHmac, 1, 0],
    [forgedPoint, 0, 1],
    [`${forgedHmac} ${forgedPoint}`, 1, 1],
  ] as const) {
    expect(await costOf("hmac", signature)).toEqual(["CS_SIGNATURE_MISMATCH", ...counts]);
    expect(await costOf("ed25519", signature)).toEqual(["CS_SIGNATURE_MISMATCH", ...counts]);
    expect(await costOf("unknown", signature)).toEqual(["CS_TENANT_UNKNOWN", ...counts]);
  }
});
