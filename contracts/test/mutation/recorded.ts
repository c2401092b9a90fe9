import { fileURLToPath } from "node:url";
import { type HttpAnswer, type HttpCall } from "@countersign/contract-kit";
import {
  readPacts,
  verifyPacts,
  type Pact,
  type PactInteraction,
  type PactMessage,
  type PactProvider,
} from "@countersign/contract-kit/pact";

const folder = fileURLToPath(new URL("../../pacts", import.meta.url));

/** A genuine provider's part in one interaction. */
export interface Recorded {
  readonly pact: Pact;
  readonly interaction: PactInteraction;
  readonly exchange?: { readonly call: HttpCall; readonly answer: HttpAnswer };
  readonly message?: PactMessage;
}

/** Verifies a genuine provider, and records its answers and messages. @throws {Error} It fails a pact. */
export async function record(provider: PactProvider): Promise<readonly Recorded[]> {
  const exchanges = new Map<string, Recorded["exchange"]>();
  const messages = new Map<string, PactMessage>();
  let current = "";
  const { prepare, message } = provider;
  const watched: PactProvider = {
    ...provider,
    prepare: async (call, interaction) => {
      const prepared = (await prepare?.(call, interaction)) ?? call;
      current = interaction?.description ?? "";
      return prepared;
    },
    judge: (call, answer) => {
      exchanges.set(current, { call, answer });
      return [];
    },
    ...(message && {
      message: async (description) => {
        const given = await message(description);
        messages.set(description, given);
        return given;
      },
    }),
  };
  const result = await verifyPacts({ provider: watched, pacts: [folder] });
  if (!result.isOk) throw new Error("the provider that is recorded fails a pact");
  const pacts = readPacts([folder]).filter((pact) => pact.provider === provider.name);
  return pacts.flatMap((pact) =>
    pact.interactions.map((interaction): Recorded => {
      const exchange = exchanges.get(interaction.description);
      const given = messages.get(interaction.description);
      return { pact, interaction, ...(exchange && { exchange }), ...(given && { message: given }) };
    }),
  );
}
