import { jsonLogger, type Clock, type Logger } from "@countersign/service";
import type { Terminal } from "./terminal.ts";

/** A logger that writes one JSON object a line to stderr. */
export function lineLogger(terminal: Terminal, clock: Clock): Logger {
  return jsonLogger({ clock, write: (line) => terminal.err(line) });
}
