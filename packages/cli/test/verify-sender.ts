import { fileURLToPath } from "node:url";
import { ran } from "./ran.ts";

/** Shell command that sends one event, and repeats it. */
export const SENDER = `"${process.execPath}" "${fileURLToPath(new URL("senders/sender.mjs", import.meta.url))}"`;

/** Runs `countersign verify sender` in this process. */
export const verify = (
  more: readonly string[],
  env: Readonly<Record<string, string>> = {},
  trigger = SENDER,
) =>
  ran(["verify", "sender", "--listen", "127.0.0.1", "--trigger", trigger, ...more], {
    PATH: process.env["PATH"],
    ...env,
  });
