import type { RunningSandbox } from "../../src/sandbox.ts";

/** The parts of Express's router that tell its routes; it has no types for them. */
interface Layer {
  readonly route?: {
    readonly path: string;
    readonly stack: readonly { readonly method?: string }[];
  };
}

/** Every route of a running sandbox as `METHOD /path`, also what stands before the router. */
export function routesOf({ service }: RunningSandbox): string[] {
  const { stack } = service.app.router as unknown as { readonly stack: readonly Layer[] };
  const routed = stack.flatMap(({ route }) =>
    (route?.stack ?? []).flatMap(({ method }) =>
      // `undefined`: what answers every other method.
      method === undefined ? [] : [`${method.toUpperCase()} ${route?.path ?? ""}`],
    ),
  );
  return [...routed, "GET /sandbox/stream"].toSorted();
}
