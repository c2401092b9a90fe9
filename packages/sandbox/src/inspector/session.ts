import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { sha256Hex, type Random } from "@countersign/service";

/**
 * One run's access of a browser to the page's calls: the key from the printed URL becomes a cookie that no
 * script reads and a token that no other site can send.
 */
export class Session {
  readonly #key: string;
  readonly #cookie: string;
  /** What calls that change something carry in the header `x-inspector-token`. */
  readonly token: string;

  constructor(key: string, random: Random) {
    this.#key = key;
    this.#cookie = Buffer.from(random.bytes(32)).toString("base64url");
    this.token = Buffer.from(random.bytes(16)).toString("base64url");
  }

  /** Whether this is the key of the printed URL. */
  opensWith(key: string): boolean {
    return isEqual(key, this.#key);
  }

  /** The value of `Set-Cookie`. Cookies do not know ports: the name does. */
  setCookie(port: number): string {
    return `${nameOf(port)}=${this.#cookie}; Path=/inspector/; SameSite=Strict; HttpOnly`;
  }

  /** Whether a call carries the cookie. */
  isOpenFor(request: IncomingMessage): boolean {
    const name = nameOf(request.socket.localPort ?? 0);
    const values = (request.headers.cookie ?? "")
      .split("; ")
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => pair.slice(name.length + 1));
    return values.some((value) => isEqual(value, this.#cookie));
  }

  /** Whether a call carries the token. */
  isMeant(request: IncomingMessage): boolean {
    const { "x-inspector-token": sent } = request.headers;
    return typeof sent === "string" && isEqual(sent, this.token);
  }
}

const nameOf = (port: number): string => `countersign-inspector-${String(port)}`;

/** Digests are compared: the time tells nothing of either text, nor of its length. */
function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(sha256Hex(one)), Buffer.from(sha256Hex(other)));
}
