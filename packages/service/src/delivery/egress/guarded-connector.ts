import dns from "node:dns";
import { type LookupFunction, type Socket, isIP } from "node:net";
import { createSecureContext } from "node:tls";
import { callbackify } from "node:util";
import { buildConnector } from "undici";
import { isLoopbackAddress, isPublicAddress } from "./addresses.ts";
import { AttemptError } from "./attempt-error.ts";

interface ConnectorOptions {
  /** Also connects to this machine's loopback addresses. Only for development. */
  readonly allowLoopback: boolean;
  /** Milliseconds that one connection, handshake included, may take. */
  readonly timeoutMs: number;
  /** The resolver. */
  readonly lookup: LookupFunction;
}

/** A merchant's URL must not reach what only we can reach. */
const refuseAddress = (address: string): AttemptError =>
  new AttemptError("CS_ATTEMPT_ADDRESS_REFUSED", `the address ${address} is not a public one`);

/**
 * Opens connections only to public addresses. Each of three places is needed:
 *
 * 1. a literal address, which Node connects to without asking the resolver;
 * 2. every address that the name resolves to, of which the first allowed one is not enough: Node
 *    tries the next one when a connection fails;
 * 3. the connected peer, since only that address is certain.
 *
 * The name is resolved for each connection and the addresses checked are the ones connected to, so
 * that a name whose address changes in between (DNS rebinding) gains nothing.
 */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const isAllowed = (address: string): boolean => isAllowedAddress(address, options);
  const shared = {
    allowH2: false,
    // Also where NODE_TLS_REJECT_UNAUTHORIZED says that certificates are not looked at.
    rejectUnauthorized: true,
    timeout: options.timeoutMs,
    lookup: guardedLookup(options.lookup, isAllowed),
  };
  const connectPlain = buildConnector(shared);
  let connectTls: buildConnector.connector | undefined;
  const connect: buildConnector.connector = (target, callback) => {
    if (target.protocol !== "https:") {
      connectPlain(target, callback);
      return;
    }
    // Node's default is a context for each connection: 0.2 ms, a tenth of a handshake that fails. Its trusted authorities
    // are the process's when the first handshake begins.
    connectTls ??= buildConnector({ ...shared, secureContext: createSecureContext() });
    connectTls(target, callback);
  };
  return (target, callback) => {
    const refused = refusesHost(target, options);
    if (refused !== undefined) return callback(refused, null);
    connect(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      const { remoteAddress } = socket;
      if (remoteAddress === undefined || !isAllowed(remoteAddress)) {
        socket.destroy();
        return callback(refuseAddress(remoteAddress ?? "of a closed socket"), null);
      }
      boundAnswers(socket);
      callback(null, socket);
    });
  };
}

/** Bytes of one answer on the wire: two reads of a socket, so that an ordinary body beyond 64 KiB is cut before. */
export const MAX_WIRE_BYTES: number = 128 * 1024;

/** Lines of one answer's head: undici makes an object of each, 5 µs, before it hands any of them over. */
const MAX_HEAD_LINES = 512;
const END_OF_HEAD = "\r\n\r\n";

/**
 * Destroys a connection when one answer is too large. Counts what arrives, since endless empty lines, extensions of
 * chunks and headers never become a body. undici reads on the same event, after this listener.
 */
function boundAnswers(socket: Socket): void {
  let [written, read, start, lines] = [0, 0, 0, 0];
  let isHead = true;
  socket.on("readable", () => {
    // There is one request at a time on a connection: after a write begins the next answer.
    if (socket.bytesWritten > written) [start, lines, isHead] = [read, 0, true];
    written = socket.bytesWritten;
    // Bytes that were put back are announced again.
    if (socket.bytesRead === read) return;
    read = socket.bytesRead;
    if (isHead) {
      // Without an encoding set, a socket reads bytes.
      const bytes = socket.read() as Buffer | null;
      if (bytes === null) return;
      const end = bytes.indexOf(END_OF_HEAD);
      isHead = end === -1;
      lines += bytes.toString("latin1", 0, isHead ? bytes.length : end).split("\n").length;
      if (lines <= MAX_HEAD_LINES) socket.unshift(bytes);
    }
    if (read - start <= MAX_WIRE_BYTES && lines <= MAX_HEAD_LINES) return;
    const message = `the answer is larger than ${MAX_WIRE_BYTES} bytes or ${MAX_HEAD_LINES} lines of head`;
    socket.destroy(new AttemptError("CS_ATTEMPT_ANSWER_MALFORMED", message));
    // Leaves nothing for undici to parse.
    socket.read();
  });
}

/** Returns the reason to refuse a literal address; `undefined` for a public one, and for every name. */
export function refusesHost(
  { hostname }: Pick<URL, "hostname">,
  options: Pick<ConnectorOptions, "allowLoopback">,
): AttemptError | undefined {
  const host = hostname.replaceAll(/^\[|\]$/g, "");
  return isIP(host) === 0 || isAllowedAddress(host, options) ? undefined : refuseAddress(host);
}

function isAllowedAddress(
  address: string,
  { allowLoopback }: Pick<ConnectorOptions, "allowLoopback">,
): boolean {
  return isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));
}

function guardedLookup(
  lookup: LookupFunction,
  isAllowed: (address: string) => boolean,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, resolved) => {
      if (error !== null) return callback(error, "");
      const addresses =
        typeof resolved === "string" ? [{ address: resolved, family: 0 }] : resolved;
      const refused = addresses.find(({ address }) => !isAllowed(address));
      const [first] = addresses;
      if (refused !== undefined || first === undefined)
        return callback(refuseAddress(refused?.address ?? "of nobody"), "");
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

interface ResolvingOptions {
  /** `ADDRESS` or `ADDRESS:PORT` of name servers. Default: the operating system's. */
  readonly servers?: readonly string[];
  /** Milliseconds that a server has, each of two times. Default 2000. */
  readonly timeoutMs?: number;
}

/** Whatever a merchant's name server answers, no more addresses of a name are looked at. */
const MAX_ADDRESSES = 16;

/**
 * Asks name servers for all addresses without the threads of the process, of which there are four: a merchant whose name
 * server never answers would hold them, and every other merchant's connection would wait behind.
 * Only `localhost` is resolved by the operating system; other names of the hosts file are not known.
 */
export function resolvingLookup({
  servers,
  timeoutMs = 2000,
}: ResolvingOptions = {}): LookupFunction {
  const resolver = new dns.promises.Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const resolveName = callbackify((name: string) => resolve(resolver, name));
  return (hostname, asked, callback) => {
    if (hostname === "localhost") dns.lookup(hostname, asked, callback);
    else resolveName(hostname, callback);
  };
}

/** IPv4 first, which more receivers answer on. @throws {AttemptError} `CS_ATTEMPT_NAME_UNRESOLVED` */
async function resolve(
  resolver: dns.promises.Resolver,
  name: string,
): Promise<dns.LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = (answer: typeof four, family: 4 | 6): dns.LookupAddress[] =>
    answer.status === "rejected" ? [] : answer.value.map((address) => ({ address, family }));
  const addresses = [...found(four, 4), ...found(six, 6)].slice(0, MAX_ADDRESSES);
  if (addresses.length > 0) return addresses;
  const cause: unknown = four.status === "rejected" ? four.reason : undefined;
  throw new AttemptError("CS_ATTEMPT_NAME_UNRESOLVED", `${name} has no address`, { cause });
}
