import { createServer } from "node:http";
import { listen } from "../../../packages/contract-kit/test/listen.ts";
import type { Effects } from "../../../packages/contract-kit/test/receiver/make-effects.ts";

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const ok: Answer = { status: 204 };

/** A refusal that contains only a code, so that strangers learn nothing else. */
export function refusal(
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ code }),
  };
}

export interface Arrived {
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** Returns every value of a header, in the order of arrival. */
export function valuesOf({ rawHeaders }: Pick<Arrived, "rawHeaders">, name: string): string[] {
  return rawHeaders.filter(
    (_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}

/** Serves effects at their own address, for receivers that have no room for them. */
export const serveEffects = (effects: Effects) =>
  listen(
    createServer((request, response) => {
      effects.answer(request, response).catch(() => response.destroy());
    }),
  );
