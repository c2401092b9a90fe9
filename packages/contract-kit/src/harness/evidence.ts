import type { Exchange as Call } from "../curl-lines.ts";
import type { Exchange } from "../finding.ts";
import { shownBytes } from "../shown-bytes.ts";
import type { Place, ReceivedAttempt } from "../target.ts";

/** Calls and attempts that are shown of one failure: the last ones. */
const SHOWN = 4;

/** Values that a service generates for its caller. */
const GRANTED = /"(?:access_?[tT]oken|client_?[sS]ecret)":"([^"]+)"/g;

/** The last exchanges: calls of the kit, then attempts of the provider with their responses. */
export function exchangesOf(
  calls: readonly Call[],
  places: readonly Place[],
  secrets: readonly string[],
): readonly Exchange[] {
  const attempts = places
    .flatMap((place) => place.attempts)
    .toSorted((one, other) => one.at - other.at)
    .map(ofAttempt);
  const shown = [...calls.slice(-SHOWN).map(ofCall), ...attempts.slice(-SHOWN)];
  const granted = calls.flatMap(({ answer }) =>
    [
      ...Buffer.from(answer?.body ?? "")
        .toString()
        .matchAll(GRANTED),
    ].map(([, one = ""]) => one),
  );
  const plain = (text: string): string =>
    [...secrets, ...granted].reduce(
      (rest, secret) => (secret === "" ? rest : rest.replaceAll(secret, "…")),
      text,
    );
  return shown.map(({ sent, received }) => ({
    sent: shownBytes(plain(sent)),
    received: shownBytes(plain(received)),
  }));
}

function ofCall({ call, answer }: Call): Exchange {
  const { method, path, headers, body = "" } = call;
  return {
    sent: message(`${method} ${path}`, headers, body),
    received:
      answer === undefined ? "" : message(String(answer.status), answer.headers, answer.body),
  };
}

function ofAttempt({ method, path, headers, body, answer }: ReceivedAttempt): Exchange {
  return {
    sent: answer === "silence" ? "" : message(String(answer.status), answer.headers ?? {}, ""),
    received: message(`${method} ${path}`, headers, body),
  };
}

function message(
  line: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [line, ...fields, "", Buffer.from(body).toString()].join("\r\n");
}
