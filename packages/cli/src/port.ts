import { Failure, systemCode } from "./failure.ts";

export const DEFAULT_PORT = 4010;
/** Ports after the default one that are tried. */
const MAX_MOVES = 100;

interface PortChoice {
  readonly port: number;
  /** True if the port was given: a server on the default one may move to the next free port. */
  readonly isAskedFor: boolean;
}

/** Starts a server on a port. @throws {Failure} `CS_CLI_PORT_TAKEN`, `CS_CLI_PORT_UNUSABLE` */
export async function listenOn<T>(
  { port, isAskedFor }: PortChoice,
  start: (port: number) => Promise<T>,
): Promise<T> {
  for (let moves = 0; ; moves += 1) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one port after the other
      return await start(port + moves);
    } catch (cause) {
      if (systemCode(cause) === "EADDRINUSE" && !isAskedFor && moves < MAX_MOVES) continue;
      throw listenFailure(cause, `port ${port + moves}`, "; name another with --port");
    }
  }
}

const UNUSABLE = new Set(["EACCES", "EADDRNOTAVAIL", "EAI_AGAIN", "EINVAL", "ENOTFOUND"]);

/** The failure of an address that cannot be listened on; any other error stays as it is. */
export function listenFailure(cause: unknown, place: string, hint = ""): unknown {
  const code = systemCode(cause) ?? "";
  if (code === "EADDRINUSE")
    return new Failure("CS_CLI_PORT_TAKEN", `${place} is in use${hint}`, cause);
  if (!UNUSABLE.has(code)) return cause;
  return new Failure("CS_CLI_PORT_UNUSABLE", `cannot listen on ${place}`, cause);
}
