import { InvalidArgumentError, Option } from "commander";
import type { PortChoice } from "../listen-on.ts";
import { wholeNumber } from "./whole-number.ts";

export const DEFAULT_PORT = 4010;

/** `--port`. */
export function portOption(): Option {
  return new Option("--port <number>", `port to listen on (default: ${DEFAULT_PORT})`).argParser(
    (text) => {
      const port = wholeNumber(text);
      if (port > 65_535) throw new InvalidArgumentError("a port is at most 65535.");
      return port;
    },
  );
}

export function portChoice(port: number | undefined): PortChoice {
  return { port: port ?? DEFAULT_PORT, isAskedFor: port !== undefined };
}
