import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { sqliteDriver } from "../store/sqlite/driver.ts";
import { serveSandbox, type RunningSandbox } from "./sandbox.ts";
import { openNamespace, type Seeded, subscribeAll } from "./seed.ts";

export interface StartOptions {
  /** Name of a built-in profile, or a profile document. Default `"standard"`. */
  readonly profile?: keyof typeof profiles | Profile;
  /** Default 0: any free port. */
  readonly port?: number;
  /** The receiver that gets every event, and the secret for signing them. Default: none. */
  readonly deliverTo?: { readonly url: string; readonly secret: string };
  /** Initial time of the sandbox's clock, in milliseconds since the epoch. Default: now. */
  readonly now?: number;
}

/** A running sandbox, with sample customers and payments, and credentials for `POST /v1/tokens`. */
export interface Sandbox extends Seeded {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** API token for calls and controls. It never expires. */
  readonly token: string;
  /**
   * Calls the API or a control, and returns the JSON of its response.
   * `call("PUT", "/sandbox/clock", { advance: "P7D" })` makes everything due in seven days happen.
   *
   * @throws {Error} The response has a status of 400 or more; the message has its body.
   */
  call(method: "GET" | "POST" | "PUT", path: string, body?: object): Promise<unknown>;
  /** Ends the sandbox and removes its database. Idempotent; `await using` calls it. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a sandbox on loopback for a test. Its database is a temporary file.
 *
 * @throws {TypeError} Unknown profile; a profile that the service does not support; `deliverTo` is refused.
 * @throws {Error} The port is in use.
 */
export async function startSandbox(options: StartOptions = {}): Promise<Sandbox> {
  const { profile: given = "standard", port = 0, deliverTo, now } = options;
  const profile = typeof given === "string" ? profiles[given] : given;
  if (profile === undefined) {
    const names = Object.keys(profiles).join(", ");
    throw new TypeError(`unknown profile ${JSON.stringify(given)}; expected one of ${names}`);
  }
  const folder = await mkdtemp(join(tmpdir(), "countersign-sandbox-"));
  let served: RunningSandbox | undefined;
  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await served?.close({ graceMs: 0 });
    await rm(folder, { recursive: true, force: true });
  };
  const close = (): Promise<void> => (closing ??= end());
  try {
    served = await serveSandbox({
      driver: sqliteDriver(join(folder, "sandbox.db")),
      profile,
      port,
    });
    const { url, vault } = served;
    const { context } = served.service;
    const token = randomBytes(24).toString("base64url");
    const seeding = { seed: 1, token, ...(now !== undefined && { now }) };
    const { merchant, seeded } = await openNamespace(context, seeding);
    if (seeded === undefined) throw new Error("the database is not new");
    if (deliverTo !== undefined) {
      const outcome = await subscribeAll({ context, vault }, merchant, deliverTo);
      if (!outcome.ok) throw new TypeError(`invalid "deliverTo": ${outcome.code}`);
    }
    return {
      url,
      token,
      ...seeded,
      call: async (method, path, body) => {
        const response = await fetch(url + path, {
          method,
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          ...(body && { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        if (!response.ok)
          throw new Error(`${method} ${path} responded ${response.status}: ${text}`);
        return text === "" ? undefined : (JSON.parse(text) as unknown);
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
