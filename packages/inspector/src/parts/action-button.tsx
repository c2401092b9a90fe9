import { useInspector } from "../inspector-context.ts";
import { curlOf } from "./curl-of.ts";
import type { Action, Answered } from "./use-action.ts";

export interface ActionButtonProps {
  readonly action: Action;
  readonly label: string;
  readonly path: string;
  readonly method?: "POST" | "PUT";
  readonly body?: object | string | undefined;
  readonly isPrimary?: boolean;
  readonly isOff?: boolean;
  /** What it does, where the label does not say it. */
  readonly hint?: string | undefined;
  readonly onDone?: (answer: Answered) => void;
}

/** A button that is one call; the line that does the same stands below the page while the button is pointed at. */
export function ActionButton(props: ActionButtonProps) {
  const { action, label, path, method = "POST", body, hint, onDone } = props;
  const { remote, calls } = useInspector();
  const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
  const point = (): void => calls.point({ method, path, body: text });
  return (
    <button
      type="button"
      className={props.isPrimary === true ? "primary" : ""}
      disabled={action.isBusy || props.isOff === true}
      title={hint ?? curlOf(remote.origin, { method, path, body: text })}
      onPointerEnter={point}
      onFocus={point}
      onClick={() => {
        void action.run(method, path, body).then((answer) => {
          if (answer !== undefined) onDone?.(answer);
        });
      }}
    >
      {label}
    </button>
  );
}
