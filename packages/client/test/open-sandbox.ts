import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openNamespace, startSandbox } from "@countersign/sandbox";
import { profiles, type Profile } from "@countersign/schemas/profiles";
import { sqliteDriver } from "@countersign/service";
import { request } from "undici";

export const TOKEN = "token-of-the-first-namespace";
export const SECRET_KEY = "a-secret-of-24-characters-or-more";

/** A body that the test knows the form of. */
export type Body = Record<string, unknown>;

export interface TestSandbox {
  readonly url: string;
  readonly port: number;
  readonly customer: string;
  /** A settled payment of 80.00, so old that its refunds are AUTHORIZED at once. */
  readonly payment: string;
  control(
    method: "GET" | "POST" | "PUT",
    path: string,
    json?: object,
    as?: { readonly token: string },
  ): Promise<Body>;
  /** Another payment of so many dollars, settled now. @returns Its identifier. */
  settledPayment(dollars: number): Promise<string>;
  /** The refunds that have this key, among up to a thousand payment records. */
  refundsOf(requestKey: string): Promise<Body[]>;
  close(): Promise<void>;
}

/** A sandbox over a new database and a real socket, with the seed 1. */
export async function openSandbox(profile: Profile = profiles.standard): Promise<TestSandbox> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-client-"));
  const driver = sqliteDriver(join(folder, "sandbox.db"));
  const sandbox = await startSandbox({ driver, profile, port: 0 });
  const { seeded } = await openNamespace({ driver, profile, seed: 1, token: TOKEN });
  if (seeded === undefined) throw new Error("the seed was not sown");
  const customerId = seeded.customers.active;
  const control: TestSandbox["control"] = async (
    method,
    path,
    json,
    { token } = { token: TOKEN },
  ) => {
    const { statusCode, body } = await request(sandbox.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const answer = (await body.json()) as Body;
    if (statusCode >= 400) throw new Error(JSON.stringify(answer));
    return answer;
  };
  return {
    url: sandbox.url,
    port: sandbox.port,
    customer: customerId,
    payment: seeded.payments.settled,
    control,
    settledPayment: async (dollars) => {
      const order = { customerId, amount: { currency: "USD", value: dollars } };
      const { paymentId } = await control("POST", "/sandbox/payments", order);
      await control("POST", `/sandbox/payments/${String(paymentId)}/settle`, {});
      return String(paymentId);
    },
    refundsOf: async (requestKey) => {
      const { payments } = await control("GET", "/sandbox/payments?limit=1000");
      // The list call's one member.
      return (payments as Body[]).filter(
        (one) => one["direction"] === "CREDIT" && one["requestKey"] === requestKey,
      );
    },
    close: async () => {
      await sandbox.close({ graceMs: 0 });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
