import type { IncomingMessage } from "node:http";
import { refuse } from "./refusals.ts";

/**
 * Keeps web pages away from the controls of a sandbox on the developer's machine.
 *
 * A page whose name is made to resolve to this machine (DNS rebinding) sends that name as `Host`; a
 * page of another site sends its `Origin` or `Sec-Fetch-Site`. Programs other than browsers send neither of
 * those two.
 *
 * @param allowedHosts Hosts besides loopback ones, in lower case: `name` with any port, or `name:port`.
 * @param options `isPage`: the path is that of the inspector's page, which a browser may open from
 *   anywhere: the page shows nothing without its key, and the site that opened it has no access to it.
 * @throws {Refused} `FOREIGN_HOST`, `FOREIGN_ORIGIN`
 */
export function guard(
  request: IncomingMessage,
  allowedHosts: readonly string[],
  { isPage = false }: { readonly isPage?: boolean } = {},
): void {
  const { localPort } = request.socket;
  const isOwn = (host: string): boolean =>
    ["127.0.0.1", "localhost", "[::1]"].some(
      // Clients leave the default port of http out.
      (name) => host === `${name}:${localPort}` || (localPort === 80 && host === name),
    ) ||
    allowedHosts.includes(host) ||
    allowedHosts.includes(host.replace(/:\d+$/, ""));
  // `rawHeaders`: of two Host fields Node keeps the first, and a proxy may have believed the second.
  const [host, ...more] = valuesOf(request, "host");
  if (host === undefined || more.length > 0 || !isOwn(host.toLowerCase())) {
    throw refuse("FOREIGN_HOST");
  }
  const [site = "none"] = valuesOf(request, "sec-fetch-site");
  const isForeign = valuesOf(request, "origin").some((origin) => !isOwn(hostOf(origin)));
  const isOpened =
    isPage &&
    request.method === "GET" &&
    valuesOf(request, "sec-fetch-mode").join() === "navigate" &&
    valuesOf(request, "sec-fetch-dest").join() === "document";
  const isOwnSite = site === "none" || site === "same-origin" || isOpened;
  if (isForeign || !isOwnSite) throw refuse("FOREIGN_ORIGIN");
}

function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}

/** `null`, as sandboxed pages send it, has no host. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : "";
}
