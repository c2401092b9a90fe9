import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** The target is another machine, and the caller has not confirmed that it may be sent hostile attempts. */
export class TargetNotOwnedError extends Error {
  readonly code = "CS_KIT_TARGET_NOT_OWNED";
  constructor(message: string) {
    super(message);
    this.name = "TargetNotOwnedError";
  }
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

function isLoopback(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** A host as a socket takes it: without the brackets of IPv6. */
export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");

/** A URL's host as a socket takes it. */
export const hostOf = ({ hostname }: URL): string => bareHost(hostname);

/** True if the host names this machine; the connection judges what a name resolves to. */
export function isLocalName(host: string): boolean {
  return isIP(host) === 0 ? /^(?:.+\.)?localhost$/.test(host) : isLoopback(host);
}

/**
 * Refuses a host that is not this machine, unless the user owns it. Nothing is sent and no name is
 * looked up for it.
 *
 * @param owned The remote host that the user owns, as in the URL.
 * @throws {TargetNotOwnedError} `CS_KIT_TARGET_NOT_OWNED`
 */
export function checkOwned(url: URL, owned: string | undefined): void {
  const host = hostOf(url);
  if (isLocalName(host) || bareHost(owned?.toLowerCase() ?? "") === host) return;
  throw new TargetNotOwnedError(
    `${host} is another machine: confirm that you own it with --i-own ${host}`,
  );
}

export type Lookup = (
  host: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

const system: Lookup = (host, done) => {
  systemLookup(host, { all: true }, (error, addresses) => done(error, addresses ?? []));
};

/** Resolves a name, and refuses other machines: `localhost` is a name like any other. */
export function loopbackLookup(lookup: Lookup = system): LookupFunction {
  return (host, options, done) => {
    lookup(host, (error, addresses) => {
      const foreign = addresses.find(({ address }) => !isLoopback(address));
      const [first] = addresses;
      if (error !== null) done(error, "", 0);
      else if (foreign !== undefined)
        done(new TargetNotOwnedError(`${host} is ${foreign.address}, not this machine`), "", 0);
      else if (options.all === true) done(null, [...addresses]);
      else done(null, first?.address ?? "", first?.family ?? 0);
    });
  };
}
