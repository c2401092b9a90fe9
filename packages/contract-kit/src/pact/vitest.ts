import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPacts, type PactProvider } from "./pact-file.ts";
import { verifyPacts, type PactResult } from "./verify-pacts.ts";

export interface PactTestsOptions {
  /** The provider's name in the pacts. */
  readonly provider: string;
  /** Pact files, or folders of them. */
  readonly pacts: readonly string[];
  /** Starts the provider, before the first test; what it returns is closed after the last. */
  readonly open: () => Promise<PactProvider & { readonly close?: () => unknown }>;
}

/**
 * A test for each interaction of the provider's pacts, named by its description and its requirement, and
 * one that the verification said something at all. For vitest, which is the caller's.
 */
export function pactTests({ provider, pacts, open }: PactTestsOptions): void {
  let result: PactResult | undefined;
  let close: (() => unknown) | undefined;
  beforeAll(async () => {
    const opened = await open();
    close = opened.close?.bind(opened);
    result = await verifyPacts({ provider: opened, pacts });
  }, 300_000);
  afterAll(() => close?.());

  it(`the pacts with ${provider} say something`, () => {
    expect(result?.problems).toEqual([]);
  });
  for (const { consumer, interactions } of readPacts(pacts).filter(
    (one) => one.provider === provider,
  )) {
    describe(`${provider} answers ${consumer}:`, () => {
      it.each(
        interactions.map(({ description, requirement }) => {
          const title = requirement === undefined ? description : `[${requirement}] ${description}`;
          return [title, description] as const;
        }),
      )("%s", (_title, description) => {
        const row = result?.rows.find(
          (one) => one.consumer === consumer && one.description === description,
        );
        expect(row?.problems ?? ["it was not verified"]).toEqual([]);
        expect(row?.isOk).toBe(true);
      });
    });
  }
}
