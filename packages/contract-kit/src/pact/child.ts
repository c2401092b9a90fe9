import { createRequire } from "node:module";
import process from "node:process";
import type { CoreOptions } from "./run-child.ts";

interface Core {
  readonly default: { readonly verifyPacts: (options: CoreOptions) => Promise<string> };
}

// A separate process: the native core prints past Node, ends its process when it crashes, and reads
// the environment, of which this one has nothing but what the parent gave.
process.once("message", (order) => {
  // The only message, from run-child.ts.
  const { pact, options } = order as { readonly pact: string; readonly options: CoreOptions };
  // The core of this version of Pact, resolved from Pact's folder, as pnpm requires.
  const core = createRequire(pact)("@pact-foundation/pact-core") as Core;
  // The verifier throws synchronously when it rejects its options.
  (async () => core.default.verifyPacts(options))().then(
    (text) => tell({ text }),
    (error: unknown) => tell({ text: error instanceof Error ? error.message : String(error) }),
  );
});

function tell(answer: { readonly text: string }): void {
  // Sockets of the core would keep the process running.
  process.send?.(answer, () => process.exit(0));
}
