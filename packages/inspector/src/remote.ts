/** A refusal of the sandbox, in its own words. */
class CallRefused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "CallRefused";
    this.status = status;
    this.code = code;
  }
}

/** The sandbox's calls, by the page's session. The shapes of answers are the sandbox's promise. */
export interface Remote {
  readonly get: <T>(path: string, signal?: AbortSignal) => Promise<T>;
  readonly send: <T>(
    method: "POST" | "PUT",
    path: string,
    body?: object | string,
    signal?: AbortSignal,
  ) => Promise<T>;
}

const API = "/inspector/api";

/** @param token Sent with every call that changes something. */
export function remoteOf(token: string): Remote {
  return {
    get: async (path, signal) => read(await fetch(`${API}${path}`, signal && { signal })),
    send: async (method, path, body = {}, signal) =>
      read(
        await fetch(`${API}${path}`, {
          method,
          headers: { "content-type": "application/json", "x-inspector-token": token },
          body: typeof body === "string" ? body : JSON.stringify(body),
          ...(signal && { signal }),
        }),
      ),
  };
}

async function read<T>(response: Response): Promise<T> {
  const text = await response.text();
  // The shape is the sandbox's promise.
  if (response.ok) return JSON.parse(text) as T;
  throw refusalOf(response.status, text);
}

function refusalOf(status: number, text: string): CallRefused {
  try {
    // A problem's members (RFC 9457 with S 7.1), each of which may be absent.
    const problem = JSON.parse(text) as {
      errorDetails?: { errorCode?: string; errorMessage?: string };
      errors?: { pointer?: string; message?: string }[];
    };
    const members = (problem.errors ?? []).map(
      ({ pointer = "", message = "" }) => `${pointer} ${message}`,
    );
    const { errorCode = "", errorMessage = "" } = problem.errorDetails ?? {};
    return new CallRefused(status, errorCode, [errorMessage, ...members].join(" · "));
  } catch {
    return new CallRefused(status, "", `The sandbox answered ${String(status)}.`);
  }
}

/** Returns why a call failed, for a person. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof CallRefused)) return "The sandbox does not answer.";
  return error.code === "" ? error.message : `${error.code}: ${error.message}`;
}

/** A key in the address, which opens a session. */
export const KEY_IN_ADDRESS = /^#key=([\w-]{1,256})$/;

/**
 * Opens the page's session: with the key in the address, which is removed from it at once, or with the cookie that it was
 * exchanged for.
 *
 * @returns The token of calls that change something; `undefined` if neither opens it.
 */
export async function openSession(): Promise<string | undefined> {
  const key = KEY_IN_ADDRESS.exec(location.hash)?.[1];
  if (key !== undefined) history.replaceState(null, "", `${location.pathname}#/`);
  const headers = { "content-type": "application/json", "x-inspector-key": key ?? "" };
  const response = await fetch(
    "/inspector/session",
    key === undefined ? {} : { method: "POST", headers },
  );
  if (!response.ok) return undefined;
  // The sandbox's own answer.
  const { token } = (await response.json()) as { token: string };
  return token;
}

/** `stopped`: the sandbox is gone, or another run of it refuses this session. */
export type StreamState = "live" | "reconnecting" | "stopped";

/** Milliseconds of reconnecting after which the sandbox counts as stopped. */
const GIVE_UP_MS = 6000;

/**
 * Listens to the namespace's stream. The browser reconnects by itself.
 *
 * @param onNews Called when something has happened, and when news may have been missed.
 */
export function listen(onNews: () => void, onState: (state: StreamState) => void): () => void {
  const source = new EventSource(`${API}/sandbox/stream`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  source.addEventListener("news", onNews);
  source.addEventListener("open", () => {
    clearTimeout(timer);
    timer = undefined;
    onState("live");
    // The stream does not report earlier events.
    onNews();
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) {
      clearTimeout(timer);
      onState("stopped");
      return;
    }
    if (timer !== undefined) return;
    onState("reconnecting");
    timer = setTimeout(() => onState("stopped"), GIVE_UP_MS);
  });
  return () => source.close();
}
