import type { ProviderCheck, Verdict } from "../../check.ts";
import { readPacts, standardPacts, type PactProvider } from "../../pact/pact-file.ts";
import { verifyPacts, type PactRow } from "../../pact/verify-pacts.ts";

export interface ProviderPactsOptions {
  /** Opens the service as the provider of this version's pacts. */
  readonly open: () => Promise<PactProvider & { readonly close: () => void }>;
}

const PROVIDER = "countersign-service";

/**
 * Verifies the pacts of consumers as one check: a requirement passes if each of its
 * interactions does. It needs Pact, and a service with a state-change URL.
 */
export function providerPacts({ open }: ProviderPactsOptions): ProviderCheck {
  const ids = readPacts([standardPacts()])
    .filter(({ provider }) => provider === PROVIDER)
    .flatMap(({ interactions }) => interactions.flatMap(({ requirement }) => requirement ?? []));
  const requirements = [...new Set(ids)];
  return {
    id: "provider/pacts",
    title: "the provider meets what its consumers have agreed",
    role: "provider",
    requirements,
    run: async () => {
      const provider = await open();
      try {
        const { rows, problems } = await verifyPacts({
          provider,
          pacts: [standardPacts()],
          wanted: ({ requirement }) => requirement !== undefined,
        });
        if (problems.length > 0 && rows.every(({ isOk }) => isOk))
          throw new Error(problems.join("; "));
        return requirements.map((requirement) =>
          verdictOf(
            requirement,
            rows.filter((row) => row.requirement === requirement),
          ),
        );
      } finally {
        provider.close();
      }
    },
  };
}

function verdictOf(requirement: string, rows: readonly PactRow[]): Verdict {
  const failed = rows.filter(({ isOk }) => !isOk);
  if (failed.length === 0) return { requirement, status: "pass" };
  const lines = failed.map(
    ({ consumer, description, problems }) => `${consumer}: ${description}: ${problems.join("; ")}`,
  );
  return { requirement, status: "fail", message: lines.join("\n") };
}
