import dns from "node:dns";
import type { LookupFunction } from "node:net";

export interface ResolvingOptions {
  /** `ADDRESS` or `ADDRESS:PORT` of name servers. Default: the operating system's. */
  readonly servers?: readonly string[];
  /** Milliseconds that a server has, each of two times. Default 2000. */
  readonly timeoutMs?: number;
}

interface Address {
  readonly address: string;
  readonly family: number;
}

/** Whatever a merchant's name server answers, no more addresses of a name are looked at. */
const MAX_ADDRESSES = 16;

/**
 * Asks name servers without the threads of the process, of which there are four: a merchant whose name
 * server never answers would hold them, and every other merchant's connection would wait behind.
 * `localhost` alone is the operating system's to say; other names of the hosts file are not known.
 *
 * Nothing is remembered: the addresses that a connection is checked for are those of its own question.
 */
export function resolvingLookup(options: ResolvingOptions = {}): LookupFunction {
  const resolver = new dns.promises.Resolver({ timeout: options.timeoutMs ?? 2000, tries: 2 });
  if (options.servers !== undefined) resolver.setServers(options.servers);
  return (hostname, asked, callback) => {
    if (hostname === "localhost") dns.lookup(hostname, asked, callback);
    else void answer(resolver, hostname, { asked, callback });
  };
}

async function answer(
  resolver: dns.promises.Resolver,
  hostname: string,
  { asked, callback }: { asked: dns.LookupOptions; callback: Parameters<LookupFunction>[2] },
): Promise<void> {
  const addresses = await resolve(resolver, hostname);
  if (addresses instanceof Error) callback(addresses, "");
  else if (asked.all === true) callback(null, [...addresses]);
  else callback(null, addresses[0].address, addresses[0].family);
}

/** The name has no address, or its servers do not say which. */
class NameUnresolvedError extends Error {
  readonly code = "CS_ATTEMPT_NAME_UNRESOLVED";
  constructor(name: string, options: ErrorOptions) {
    super(`${name} has no address`, options);
    this.name = new.target.name;
  }
}

/** IPv4 first, which more receivers answer on. */
async function resolve(
  resolver: dns.promises.Resolver,
  name: string,
): Promise<readonly [Address, ...Address[]] | NameUnresolvedError> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses: Address[] = [];
  if (four.status === "fulfilled") {
    addresses.push(...four.value.map((address) => ({ address, family: 4 })));
  }
  if (six.status === "fulfilled") {
    addresses.push(...six.value.map((address) => ({ address, family: 6 })));
  }
  const [first, ...others] = addresses.slice(0, MAX_ADDRESSES);
  if (first !== undefined) return [first, ...others];
  return new NameUnresolvedError(name, {
    cause: four.status === "rejected" ? four.reason : undefined,
  });
}
