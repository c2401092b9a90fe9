import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPacts, type PactProvider } from "./pact-file.ts";
import { verifyPacts, type PactResult, type VerifyPactsOptions } from "./verify-pacts.ts";

export interface PactTestsOptions extends Omit<VerifyPactsOptions, "provider" | "broker"> {
  /** The provider's name in the pacts. */
  readonly provider: string;
  /** Pact files, or folders of them. */
  readonly pacts: readonly string[];
  /** Starts the provider, before the first test; what it returns is closed after the last. */
  readonly open: () => Promise<PactProvider & { readonly close?: () => unknown }>;
  /** Sees the whole result, for reports. */
  readonly onResult?: (result: PactResult) => void;
}

/**
 * A test for each interaction of the provider's pacts, named by its description and its requirement, and
 * one that the verification said something at all. For vitest, which is the caller's.
 */
export function pactTests({ provider, open, onResult, ...options }: PactTestsOptions): void {
  const pacts = readPacts(options.pacts).filter((pact) => pact.provider === provider);
  let result: PactResult | undefined;
  let close: (() => unknown) | undefined;
  beforeAll(async () => {
    const opened = await open();
    close = opened.close?.bind(opened);
    result = await verifyPacts({ ...options, provider: opened });
    onResult?.(result);
  }, options.limitMs ?? 300_000);
  afterAll(() => close?.());

  it(`the pacts with ${provider} say something`, () => {
    expect(result?.problems).toEqual([]);
  });
  for (const { consumer, interactions } of pacts) {
    describe(`${provider} answers ${consumer}:`, () => {
      it.each(interactions.map((one) => [titleOf(one), one.description]))(
        "%s",
        (_title, description) => {
          const row = result?.rows.find(
            (one) => one.consumer === consumer && one.description === description,
          );
          expect(row?.problems ?? ["it was not verified"]).toEqual([]);
          expect(row?.isOk).toBe(true);
        },
      );
    });
  }
}

function titleOf({
  description,
  requirement,
}: {
  description: string;
  requirement?: string | undefined;
}): string {
  return requirement === undefined ? description : `[${requirement}] ${description}`;
}
