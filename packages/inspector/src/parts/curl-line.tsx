import { useInspector } from "../inspector-context.ts";
import { Code } from "./code.tsx";
import { curlOf } from "./curl-of.ts";

/** What a form is about to call, as a line to copy. */
export function CurlLine(call: {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}) {
  const { remote } = useInspector();
  return <Code label="the same from a shell" text={curlOf(remote.origin, call)} />;
}
