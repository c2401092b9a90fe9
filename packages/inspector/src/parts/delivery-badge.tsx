import type { DeliveryState } from "../remote/shapes.ts";

const worstFirst: readonly DeliveryState[] = ["exhausted", "dropped", "waiting", "delivered"];

const words: Readonly<Record<DeliveryState, string>> = {
  delivered: "delivered",
  waiting: "waiting",
  exhausted: "gave up",
  dropped: "dropped",
};

/** The state of an event's deliveries in a word: the worst one. */
export function DeliveryBadge({ states }: { readonly states: readonly DeliveryState[] }) {
  const state = worstFirst.find((one) => states.includes(one));
  if (state === undefined) return <span className="badge none">no subscriber</span>;
  const count = states.length > 1 ? ` ×${String(states.length)}` : "";
  return (
    <span className={`badge ${state}`}>
      {words[state]}
      {count}
    </span>
  );
}
