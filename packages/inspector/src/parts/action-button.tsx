import { useInspector } from "../inspector-context.ts";
import { curlOf } from "./curl-of.ts";
import type { Action } from "./use-action.ts";

export interface ActionButtonProps {
  readonly action: Action;
  readonly label: string;
  readonly path: string;
  readonly method?: "POST" | "PUT";
  readonly body?: object | string;
  readonly isPrimary?: boolean;
  readonly isOff?: boolean;
  readonly onDone?: () => void;
}

/** A button that is one call; the line that does the same stands where the pointer rests. */
export function ActionButton(props: ActionButtonProps) {
  const {
    action,
    label,
    path,
    method = "POST",
    body,
    isPrimary = false,
    isOff = false,
    onDone,
  } = props;
  const { remote } = useInspector();
  const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
  return (
    <button
      type="button"
      className={isPrimary ? "primary" : ""}
      disabled={action.isBusy || isOff}
      title={curlOf(remote.origin, { method, path, body: text })}
      onClick={() => {
        void action.run(method, path, body).then((isDone) => {
          if (isDone) onDone?.();
        });
      }}
    >
      {label}
    </button>
  );
}
