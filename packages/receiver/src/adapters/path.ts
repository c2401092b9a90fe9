/** The path of a request's target or address, as it was sent: without scheme, authority and query. */
export function pathOf(url: string): string {
  const [, path = ""] = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(url) ?? [];
  return path === "" ? "/" : path;
}
