import type { Action } from "./use-action.ts";

/** Why the last call was refused, in the sandbox's words. */
export function Refusal({ action }: { readonly action: Action }) {
  return action.refusal === undefined ? null : (
    <p className="refusal" role="alert">
      {action.refusal}
    </p>
  );
}
