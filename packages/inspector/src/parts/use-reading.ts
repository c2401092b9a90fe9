import { useContext, useEffect, useState } from "react";
import { NewsContext, useInspector } from "../inspector-context.ts";
import { CallRefused } from "../remote/remote.ts";

export type Reading<T> =
  | { readonly at: "reading" }
  | { readonly at: "read"; readonly value: T }
  | { readonly at: "refused"; readonly message: string };

/**
 * What a GET answers, read again whenever something has happened. The last answer stays until the next is
 * there, so that nothing jumps. `undefined` asks for nothing.
 */
export function useReading<T>(path: string | undefined): Reading<T> {
  const { remote } = useInspector();
  const news = useContext(NewsContext);
  const [known, setKnown] = useState<{ path: string | undefined; reading: Reading<T> }>();
  useEffect(() => {
    if (path === undefined) return undefined;
    const controller = new AbortController();
    remote.get<T>(path, controller.signal).then(
      (value) => setKnown({ path, reading: { at: "read", value } }),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        const message =
          error instanceof CallRefused ? error.message : "The sandbox does not answer.";
        setKnown({ path, reading: { at: "refused", message } });
      },
    );
    return () => controller.abort();
  }, [remote, path, news]);
  return known !== undefined && known.path === path ? known.reading : { at: "reading" };
}
