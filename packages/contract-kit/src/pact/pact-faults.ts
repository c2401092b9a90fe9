import type { Pact } from "./pact-file.ts";
import type { PactProvider } from "./pact-provider.ts";

/**
 * What would make a verification say less than it seems to, a line each; empty where nothing does. The
 * verifier itself is silent about all of it.
 */
export function pactFaults(
  pacts: readonly Pact[],
  provider: PactProvider,
  { mayLeaveStates }: { readonly mayLeaveStates: boolean },
): readonly string[] {
  const interactions = pacts.flatMap((pact) => pact.interactions);
  if (interactions.length === 0) return [`no pact has an interaction with ${provider.name}`];
  const named = new Set(interactions.flatMap(({ states }) => states.map(({ name }) => name)));
  const handled = Object.keys(provider.states);
  const has = (kind: "http" | "message"): boolean => interactions.some((one) => one.kind === kind);
  return [
    ...pacts.flatMap(repeatedIn),
    ...[...named]
      .filter((name) => !handled.includes(name))
      .map((name) => `the state "${name}" has no handler`),
    ...handled
      .filter((name) => !mayLeaveStates && !named.has(name))
      .map((name) => `no pact uses the state "${name}"`),
    ...(has("message") && provider.message === undefined ? ["nothing gives the messages"] : []),
    ...(has("http") && provider.send === undefined ? ["nothing carries the calls"] : []),
  ];
}

/** Of two interactions with one description the verifier's results cannot be told apart. */
function repeatedIn({ path, interactions }: Pact): readonly string[] {
  const seen = Map.groupBy(interactions, ({ description }) => description);
  return [...seen]
    .filter(([, those]) => those.length > 1)
    .map(([text, those]) => `${path}: ${those.length} interactions are described as "${text}"`);
}
