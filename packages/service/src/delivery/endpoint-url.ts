import { isLoopbackAddress } from "./public-address.ts";

/** Where events may be delivered. */
export interface EndpointPolicy {
  /** Takes `http:` beside `https:`, to loopback hosts alone. The sandbox sets it. */
  readonly allowLoopback: boolean;
}

/**
 * A subscription's URL, or `undefined` where events may not be sent there: only `https:`, and with
 * `allowLoopback` also `http:` to `localhost` and loopback addresses; no credentials, no fragment, at
 * most 2048 characters. Judged when an attempt is made, whatever was judged when it was stored.
 *
 * Whether the host's address is public is the connector's to say, once it is known.
 */
export function endpointUrl(text: string, policy: EndpointPolicy): URL | undefined {
  if (text.length > 2048 || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || text.includes("#")) return undefined;
  if (url.protocol === "https:") return url;
  return url.protocol === "http:" && policy.allowLoopback && isLoopbackHost(url.hostname)
    ? url
    : undefined;
}

function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || isLoopbackAddress(hostname);
}
