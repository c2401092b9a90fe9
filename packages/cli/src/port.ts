import { Option } from "commander";
import { Failure, systemCode } from "./failure.ts";
import { integer } from "./options.ts";

const DEFAULT_PORT = 4010;

/** Ports after the default one that are tried. */
const MAX_MOVES = 100;

export interface PortChoice {
  readonly port: number;
  /** True if the port was given, not the default. */
  readonly isAskedFor: boolean;
}

/** `--port`. Without it a command may use the next free port. */
export const portOption = (): Option =>
  new Option("--port <number>", `port to listen on (default: ${DEFAULT_PORT})`).argParser(
    integer(0, 65_535),
  );

export const portChoice = (port: number | undefined): PortChoice => ({
  port: port ?? DEFAULT_PORT,
  isAskedFor: port !== undefined,
});

/**
 * Starts a server on the given port, or on the first free port from the default one.
 *
 * @throws {Failure} `CS_CLI_PORT_TAKEN`, `CS_CLI_PORT_UNUSABLE`
 */
export async function listenOn<T>(
  { port, isAskedFor }: PortChoice,
  start: (port: number) => Promise<T>,
): Promise<T> {
  for (let moves = 0; ; moves += 1) {
    try {
      return await start(port + moves);
    } catch (error) {
      const failure = portFailure(error, port + moves);
      if (failure === undefined) throw error;
      const mayMove = !isAskedFor && failure.code === "CS_CLI_PORT_TAKEN" && moves < MAX_MOVES;
      if (!mayMove) throw failure;
    }
  }
}

function portFailure(cause: unknown, port: number): Failure | undefined {
  switch (systemCode(cause)) {
    case "EADDRINUSE":
      return new Failure("CS_CLI_PORT_TAKEN", `port ${port} is taken; name another with --port`, {
        cause,
      });
    case "EACCES":
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new Failure("CS_CLI_PORT_UNUSABLE", `port ${port} cannot be listened on there`, {
        cause,
      });
    case undefined:
    default:
      return undefined;
  }
}
