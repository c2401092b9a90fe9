import { isLoopbackAddress } from "./public-address.ts";

/** The URLs that events may be delivered to. */
export interface EndpointPolicy {
  /** Also accepts `http:`, to loopback hosts only. Only the sandbox sets it. */
  readonly allowLoopback: boolean;
  /** Ports that a URL may name, also by its scheme. Default: any. */
  readonly ports?: readonly number[];
}

/**
 * Returns a subscription's URL, or `undefined` if events may not be sent there: only `https:`, and with
 * `allowLoopback` also `http:` to `localhost` and loopback addresses; only the policy's ports; no
 * credentials, no fragment, at most 2048 characters. Every attempt checks it again, whatever was accepted
 * when it was stored. The connector checks that the host's address is public, once it is known.
 */
export function endpointUrl(text: string, policy: EndpointPolicy): URL | undefined {
  if (text.length > 2048 || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || text.includes("#")) return undefined;
  if (!hasAllowedPort(url, policy)) return undefined;
  if (url.protocol === "https:") return url;
  return url.protocol === "http:" && policy.allowLoopback && isLoopbackHost(url.hostname)
    ? url
    : undefined;
}

function hasAllowedPort({ port, protocol }: URL, { ports }: EndpointPolicy): boolean {
  // A URL leaves out the default port of its scheme.
  const named = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
  return ports === undefined || ports.includes(named);
}

function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || isLoopbackAddress(hostname);
}
