import type { Clock, Logger, LogFields } from "@countersign/service";
import type { Terminal } from "./terminal.ts";

/** A logger that writes one JSON object a line. */
export function lineLogger(terminal: Terminal, clock: Clock): Logger {
  const at =
    (level: string) =>
    (fields: LogFields, message: string): void => {
      const time = new Date(clock.now()).toISOString();
      terminal.err(JSON.stringify({ level, time, ...fields, message }));
    };
  return { info: at("info"), warn: at("warn"), error: at("error") };
}
