/** A call that the page has made, as somebody would make it by hand. */
export interface MadeCall {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly status: number;
}

/** A refusal of the sandbox, in its own words. */
export class CallRefused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "CallRefused";
    this.status = status;
    this.code = code;
  }
}

export interface Remote {
  /** A GET whose answer the sandbox's own routes shape. */
  readonly get: <T>(path: string, signal?: AbortSignal) => Promise<T>;
  /** A POST that changes nothing and is not told. */
  readonly ask: <T>(path: string, body: object) => Promise<T>;
  readonly send: <T>(method: "POST" | "PUT", path: string, body?: object | string) => Promise<T>;
  /** `http://HOST:PORT`, for lines to copy. */
  readonly origin: string;
}

const API = "/inspector/api";

/**
 * The sandbox's calls, by the page's session.
 *
 * @param onCall Hears of every call that changes something.
 */
export function remoteOf(token: string, onCall: (call: MadeCall) => void): Remote {
  const post = (method: string, path: string, body: string): Promise<Response> => {
    const headers = { "content-type": "application/json", "x-inspector-token": token };
    const call: RequestInit = { method, headers, body };
    return fetch(`${API}${path}`, call);
  };
  return {
    origin: location.origin,
    get: async (path, signal) =>
      read(await fetch(`${API}${path}`, signal === undefined ? {} : { signal })),
    ask: async (path, body) => read(await post("POST", path, JSON.stringify(body))),
    send: async (method, path, body = {}) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const response = await post(method, path, text);
      onCall({ method, path, body: text === "{}" ? undefined : text, status: response.status });
      return read(response);
    },
  };
}

/** The answer's body. Its shape is the sandbox's promise. */
async function read<T>(response: Response): Promise<T> {
  const text = await response.text();
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
    return new CallRefused(status, "", "The sandbox does not answer as it should.");
  }
}
