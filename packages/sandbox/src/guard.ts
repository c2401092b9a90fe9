import type { IncomingMessage } from "node:http";

/** Why a call to the controls is refused before anything else is looked at. */
export type GuardRefusal = "FOREIGN_HOST" | "FOREIGN_ORIGIN";

/**
 * Keeps web pages away from the controls of a sandbox on the developer's machine.
 *
 * A page whose name is made to resolve to this machine (DNS rebinding) sends that name as `Host`; a
 * page of another site sends its `Origin` or `Sec-Fetch-Site`. What is no browser sends neither of
 * those two.
 *
 * @param allowedHosts Hosts beside loopback ones, in lower case: `name` with any port, or `name:port`.
 * @returns Why the call is refused, or `undefined`.
 */
export function guard(
  request: IncomingMessage,
  allowedHosts: readonly string[],
): GuardRefusal | undefined {
  const isOwn = (host: string): boolean =>
    isLoopback(host, request.socket.localPort) || isListed(host, allowedHosts);
  // `rawHeaders`: of two Host fields Node keeps the first, and a proxy may have believed the second.
  const hosts = valuesOf(request, "host");
  const [host] = hosts;
  if (hosts.length !== 1 || host === undefined || !isOwn(host.toLowerCase())) return "FOREIGN_HOST";

  const [site = "none"] = valuesOf(request, "sec-fetch-site");
  if (site !== "none" && site !== "same-origin") return "FOREIGN_ORIGIN";
  const origins = valuesOf(request, "origin");
  const foreign = origins.some((origin) => !isOwn(hostOf(origin)));
  return foreign ? "FOREIGN_ORIGIN" : undefined;
}

function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}

function isLoopback(host: string, port: number | undefined): boolean {
  return ["127.0.0.1", "localhost", "[::1]"].some(
    // Clients leave the default port of http out.
    (name) => host === `${name}:${port}` || (port === 80 && host === name),
  );
}

function isListed(host: string, allowedHosts: readonly string[]): boolean {
  return allowedHosts.includes(host) || allowedHosts.includes(host.replace(/:\d+$/, ""));
}

/** `null`, as sandboxed pages send it, has no host. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : "";
}
