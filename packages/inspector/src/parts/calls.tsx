import { useSyncExternalStore } from "react";
import { useInspector } from "../inspector-context.ts";
import { Code } from "./code.tsx";
import { curlOf } from "./curl-of.ts";

/**
 * What the page has called to change something, each as the line that does the same; before a call, the line
 * of the control that the pointer or the focus is on.
 */
export function Calls() {
  const { calls, remote } = useInspector();
  const { made, pointed } = useSyncExternalStore(calls.subscribe, calls.snapshot);
  const [last] = made;
  const line = pointed && curlOf(remote.origin, pointed);
  return (
    <details className="calls">
      <summary>
        {line !== undefined ? (
          <code>{line}</code>
        ) : last === undefined ? (
          "Each control here is one HTTP call; its curl line stands here"
        ) : (
          <>
            <span className={`status ${last.status < 400 ? "good" : "bad"}`}>{last.status}</span>{" "}
            {last.method} {last.path}
          </>
        )}
      </summary>
      <div className="calls-list">
        {line !== undefined && <Code label="the control you are on" text={line} />}
        {made.length === 0 && <p className="note">No calls yet.</p>}
        {made.map((call, index) => (
          <Code
            key={made.length - index}
            label={`${call.method} ${call.path} → ${String(call.status)}`}
            text={curlOf(remote.origin, call)}
          />
        ))}
      </div>
    </details>
  );
}
