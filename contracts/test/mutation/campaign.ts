import { writeFileSync } from "node:fs";
import { join } from "node:path";
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
import { temporaryFolder } from "../../../test/temporary-folder.ts";

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

/** A provider that breaks its contract at one place of one interaction. */
export interface Mutant {
  readonly recorded: Recorded;
  readonly operator: string;
  readonly place: string;
  readonly answer?: HttpAnswer;
  readonly message?: PactMessage;
}

export interface Verdict {
  readonly mutant: Mutant;
  readonly byPact: boolean;
  readonly byJudge: boolean;
}

export const isNoticed = ({ byPact, byJudge }: Verdict): boolean => byPact || byJudge;

export interface Judges {
  readonly name: string;
  /** Sets the judges' state to the mutant's interaction. Default: they have none. */
  readonly enter?: (mutant: Mutant) => Promise<unknown>;
  readonly judge?: (call: HttpCall, answer: HttpAnswer) => readonly string[];
  readonly judgeMessage?: (message: PactMessage) => readonly string[];
}

/** Judges that distinguish refusals by the provider's state. */
export const statefulJudges = (provider: PactProvider): Judges => ({
  ...provider,
  enter: async ({ recorded: { interaction } }) => {
    for (const { name, params } of interaction.states)
      // oxlint-disable-next-line no-await-in-loop -- there is one
      await provider.enter(name, params);
  },
});

/** Recorded providers without a change, which must not be noticed. */
export const genuineOnes = (recorded: readonly Recorded[]): readonly Mutant[] =>
  recorded.map((one) => ({
    recorded: one,
    operator: "none",
    place: "",
    ...(one.exchange && { answer: one.exchange.answer }),
    ...(one.message && { message: one.message }),
  }));

/** Mutants of one run of Pact's core: its report grows with them, and a run that takes minutes is ended. */
const BATCH = 100;

/** Plays mutants to Pact's core and to the judges, separately. One run of the core has many mutants. */
export async function campaign(
  mutants: readonly Mutant[],
  judges: Judges,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let start = 0; start < mutants.length; start += BATCH) {
    const batch = mutants.slice(start, start + BATCH);
    // oxlint-disable-next-line no-await-in-loop -- one core at a time
    const killed = await killedByPact(batch, judges.name);
    for (const [place, mutant] of batch.entries()) {
      // oxlint-disable-next-line no-await-in-loop -- judges are in one state at a time
      await judges.enter?.(mutant);
      const byJudge = problemsOf(mutant, judges).length > 0;
      verdicts.push({ mutant, byPact: killed.has(place), byJudge });
    }
  }
  return verdicts;
}

function problemsOf(mutant: Mutant, { judge, judgeMessage }: Judges): readonly string[] {
  const { exchange } = mutant.recorded;
  if (mutant.message !== undefined) return judgeMessage?.(mutant.message) ?? [];
  if (mutant.answer === undefined || exchange === undefined) return [];
  return judge?.(exchange.call, mutant.answer) ?? [];
}

async function killedByPact(batch: readonly Mutant[], name: string): Promise<ReadonlySet<number>> {
  const path = join(temporaryFolder(), "mutants.json");
  writeFileSync(path, JSON.stringify(inflated(batch, name)));
  let current: Mutant | undefined;
  const provider: PactProvider = {
    name,
    enter: () => Promise.resolve({}),
    // The first call only looks for a provider.
    send: () => Promise.resolve(current?.answer ?? EMPTY),
    prepare: (call, interaction) => {
      current = batch[Number(interaction?.description)];
      return Promise.resolve(call);
    },
    message: (description) => {
      const message = batch[Number(description)]?.message;
      return message === undefined ? Promise.reject(new Error("none")) : Promise.resolve(message);
    },
  };
  const { rows, problems } = await verifyPacts({ provider, pacts: [path] });
  if (problems.length > 0) throw new Error(problems.join("; "));
  return new Set(rows.filter((row) => !row.isOk).map((row) => Number(row.description)));
}

const EMPTY: HttpAnswer = { status: 204, headers: {}, body: new Uint8Array() };

/** A pact with an interaction for each mutant, without states: their results are recorded. */
function inflated(batch: readonly Mutant[], provider: string): object {
  const interactions = batch.map(({ recorded: { pact, interaction } }, place) => {
    const found = pact.document.interactions?.find(
      ({ description }) => description === interaction.description,
    );
    // Values of states are not used to compare an answer.
    const { providerStates: _states, ...rest } = { providerStates: undefined, ...found };
    const request = { ...found?.request, generators: undefined };
    return { ...rest, description: String(place), ...(found?.request && { request }) };
  });
  return {
    consumer: { name: "mutants" },
    provider: { name: provider },
    interactions,
    metadata: { pactSpecification: { version: "4.0" } },
  };
}
