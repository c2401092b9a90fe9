import { setTimeout } from "node:timers/promises";
import { collectBytes } from "@countersign/rules";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { memberAt, parseJson, parsePlace, secondsOf } from "@countersign/signatures/places";
import { ListError } from "./list-error.ts";
import {
  type EventList,
  listOf,
  nextPage,
  type Page,
  type PageRequest,
  withParameter,
} from "./next-page.ts";

/** A provider's pages as they arrive, in any number. */
export type ReadList = (range: {
  /** Milliseconds since 1970: events that happened at this time or later are needed. */
  readonly since: number;
}) => AsyncIterable<Uint8Array>;

/** The part of `fetch` that is needed. */
export type Fetch = (
  url: string,
  init: {
    readonly method: "GET" | "POST";
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly redirect: "manual";
    readonly signal: AbortSignal;
  },
) => Promise<Response>;

export interface EventListOptions {
  /** The bearer token of the provider's API. It is sent to the list's host only. */
  readonly token: string;
  /** The list's address instead of the document's: https, or http on this machine. Needed where that one has a `{NAME}`. */
  readonly url?: string | undefined;
  /** Connected accounts whose events are read too; `""` is your own. Default: only your own. */
  readonly accounts?: readonly string[] | undefined;
  /** Default: the runtime's own. */
  readonly fetch?: Fetch | undefined;
  /** Waits for the time that the provider asks for, in milliseconds. Default: a timer. */
  readonly wait?: ((ms: number) => Promise<unknown>) | undefined;
}

/** A page of 100 events of the largest usual size. */
const PAGE_BYTES = 64 * 1024 * 1024;
const ANSWER_MS = 60_000;
const TRIES = 5;
const LONGEST_WAIT_MS = 120_000;
const MAX_PAGES = 100_000;
/** The pause after a request for one more delivery: at most five a second. */
const REDELIVERY_MS = 200;

/**
 * Reads a provider's own list of events, as its document describes it, one page after the other.
 *
 * @throws {ListError} `CS_LIST_UNSUPPORTED`, `CS_LIST_URL`. Reading throws the other codes.
 */
export function eventList(provider: ProviderDocument, options: EventListOptions): ReadList {
  const { list, url, title, send } = openApi(provider, options);
  const accounts = [...new Set(options.accounts ?? [""])].map((account) => {
    if (account === "") return {};
    if (list.account !== undefined) return { [list.account]: account };
    throw new ListError("CS_LIST_UNSUPPORTED", `${title} has no list of a connected account`);
  });
  return async function* ({ since }) {
    for (const headers of accounts) {
      const asked = new Set<string>();
      let request: PageRequest | undefined = firstPage(list, url, since);
      while (request !== undefined) {
        const key = JSON.stringify(request);
        if (asked.has(key) || asked.size === MAX_PAGES)
          throw new ListError(
            "CS_LIST_REPEATED",
            `${title} leads from a page back to an earlier one, or has no last page`,
          );
        asked.add(key);
        // oxlint-disable-next-line no-await-in-loop -- a page names the next one
        const answer = await send(request, headers);
        const page = readPage(answer, list, title);
        yield answer.bytes;
        const isOver = list.newestFirst === true && timeOf(page.last, list) < since;
        request = isOver ? undefined : nextPage(page, request, list, title);
      }
    }
  };
}

/**
 * Returns a function that asks the provider for one more delivery of an event, by the `redeliverId` of a finding, at most
 * five times a second.
 *
 * @throws {ListError} `CS_LIST_UNSUPPORTED`: the provider has no such call; `CS_LIST_URL`. Calling it throws other codes.
 */
export function redelivery(
  provider: ProviderDocument,
  options: EventListOptions,
): (redeliverId: string) => Promise<void> {
  const { list, url, title, send } = openApi(provider, options);
  const { redeliver } = list;
  if (redeliver === undefined)
    throw new ListError("CS_LIST_UNSUPPORTED", `${title} delivers no event again on request`);
  const { wait = setTimeout } = options;
  return async (redeliverId) => {
    const address = new URL(url);
    address.pathname += redeliver.path.replace("{id}", encodeURIComponent(redeliverId));
    await send({ url: address.href, method: "POST" });
    await wait(REDELIVERY_MS);
  };
}

/** Returns the list's description, its address, and a function that sends one request, again after a refusal that passes. */
function openApi(
  provider: ProviderDocument,
  { url: given, token, fetch = globalThis.fetch, wait = setTimeout }: EventListOptions,
) {
  const list = listOf(provider);
  const { title } = provider;
  const send = async (
    { url, method, body }: PageRequest,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const own = { ...list.headers, ...headers, authorization: `Bearer ${token}` };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const sent = {
      method,
      headers: { accept: "application/json", ...own, ...type },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // The token is for this host only.
      redirect: "manual" as const,
    };
    for (let tries = 1; ; tries += 1) {
      // oxlint-disable no-await-in-loop -- one try after the other
      const answer = await answerOf(() =>
        fetch(url, { ...sent, signal: AbortSignal.timeout(ANSWER_MS) }),
      );
      const { status = 0 } = answer ?? {};
      if (answer !== undefined && status >= 200 && status < 300) return answer;
      const after = answer?.headers.get("retry-after") ?? "";
      if (status >= 300 && status < 400)
        throw new ListError(
          "CS_LIST_REDIRECTED",
          `${title} redirects to another address, which must not get the token`,
        );
      // GitHub limits rates with 403 too.
      const isLimited = status === 429 || (status === 403 && after !== "");
      if (status >= 400 && status < 500 && !isLimited)
        throw new ListError(
          "CS_LIST_REFUSED",
          `${title} answered ${String(status)}: check the token, its rights and the address`,
        );
      if (tries === TRIES)
        throw new ListError(
          "CS_LIST_UNAVAILABLE",
          status === 0
            ? `${title} cannot be reached: ${String(TRIES)} requests got no answer`
            : `${title} answered ${String(status)} to ${String(TRIES)} requests; try later`,
        );
      const seconds = /^\d{1,6}$/.test(after) ? Number(after) : 2 ** tries;
      await wait(Math.min(LONGEST_WAIT_MS, seconds * 1000));
      // oxlint-enable no-await-in-loop
    }
  };
  return { list, title, url: checkUrl(given ?? list.url, list.url), send };
}

function checkUrl(url: string, example: string): string {
  if (/[{}]/.test(url))
    throw new ListError("CS_LIST_URL", `give the address of your own list, such as ${example}`);
  const { protocol, hostname, username } = new URL(URL.canParse(url) ? url : "invalid:");
  const isLocal = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(hostname);
  if (username === "" && (protocol === "https:" || (protocol === "http:" && isLocal))) return url;
  throw new ListError(
    "CS_LIST_URL",
    "the list's address must be https, or http on this machine, without credentials",
  );
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** @returns `undefined` without an answer. */
async function answerOf(send: () => Promise<Response>): Promise<Answer | undefined> {
  const read = async () => {
    const { status, headers, body } = await send();
    const bytes = body === null ? new Uint8Array() : await collectBytes(body, PAGE_BYTES);
    return { status, headers, bytes };
  };
  const answer = await read().catch(() => undefined);
  if (answer === undefined) return undefined;
  const { bytes } = answer;
  if (bytes !== undefined) return { ...answer, bytes };
  throw new ListError("CS_LIST_UNREADABLE", `a page is larger than ${String(PAGE_BYTES)} bytes`);
}

function firstPage(
  { method, parameters = {} }: EventList,
  url: string,
  since: number,
): PageRequest {
  let request: PageRequest = method === "POST" ? { url, method, body: {} } : { url, method: "GET" };
  const times = { s: Math.floor(since / 1000), iso: new Date(since).toISOString() };
  for (const [name, given] of Object.entries(parameters)) {
    const value = typeof given === "object" ? times[given.since] : given;
    request = withParameter(request, name, value);
  }
  return request;
}

function readPage({ bytes, headers }: Answer, list: EventList, title: string): Page {
  const unreadable = (why: string, cause?: unknown): ListError =>
    new ListError("CS_LIST_UNREADABLE", `a page of ${title} ${why}`, { cause });
  let page: unknown;
  try {
    page = parseJson(bytes);
  } catch (cause) {
    throw unreadable("is not JSON", cause);
  }
  const items = memberAt(page, parsePlace(list.items).members);
  if (!Array.isArray(items)) throw unreadable(`has no list of events at ${list.items}`);
  return { page, last: items.at(-1), headers };
}

/** Returns when an item's event happened, in milliseconds since 1970; NaN if it does not say. */
function timeOf(item: unknown, { event: { time } }: EventList): number {
  const at = time && memberAt(item, parsePlace(time.at).members);
  const isTime = typeof at === "string" || typeof at === "number";
  return isTime ? 1000 * (secondsOf(at, time?.unit ?? "") ?? Number.NaN) : Number.NaN;
}
