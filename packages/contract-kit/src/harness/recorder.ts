import type { Exchange } from "../curl-lines.ts";
import type { HttpAnswer } from "../http.ts";
import type { Watch } from "../target.ts";

/** Keeps the calls of one scenario, in the order in which they were sent. */
export interface Recorder {
  readonly exchanges: readonly Exchange[];
  readonly watch: Watch;
}

export function recorder(): Recorder {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    watch: (send, url) => async (call) => {
      const place = exchanges.push({ url, call, answer: undefined }) - 1;
      const answer: HttpAnswer = await send(call);
      exchanges[place] = { url, call, answer };
      return answer;
    },
  };
}
