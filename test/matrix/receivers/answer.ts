/** What a receiver answers. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const ok: Answer = { status: 204 };

/** A refusal with a code and no more: a stranger learns nothing else. */
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
