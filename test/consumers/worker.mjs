// A Worker as a merchant writes it. Its modules are found by their relative names.
import { createReceiver, memoryInbox } from "./receiver/index.js";
import { toFetch } from "./receiver/fetch.js";
import { stripe } from "./receiver/providers.js";

let answer;
export default {
  fetch(request, { SECRET }) {
    answer ??= toFetch(
      createReceiver({
        provider: stripe,
        secrets: [SECRET],
        inbox: memoryInbox(),
        fallback: () => undefined,
      }),
    );
    return answer(request);
  },
};
