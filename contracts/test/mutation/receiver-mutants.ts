import type { PactProvider } from "@countersign/contract-kit";
import type { Judges, Mutant } from "./campaign.ts";
import type { Recorded } from "./recorded.ts";

/** Mutants of a receiver: answers that acknowledge what they must not, or refuse what they must take. */
export function receiverMutants(recorded: readonly Recorded[]): readonly Mutant[] {
  return recorded.flatMap((one): readonly Mutant[] => {
    const { exchange } = one;
    if (exchange === undefined) return [];
    const { answer } = exchange;
    const others = answer.status < 300 ? [301, 400, 401, 404, 500, 503] : [200, 204, 302, 418, 500];
    const text = Buffer.from(answer.body).toString();
    return [
      ...others.map((status) => ({
        recorded: one,
        operator: "status",
        place: String(status),
        answer: { ...answer, status },
      })),
      ...(answer.status === 401
        ? [
            {
              recorded: one,
              operator: "leak",
              place: "a reason",
              answer: {
                ...answer,
                body: Buffer.from(`${text.trimEnd()} (${one.interaction.description})`),
              },
            },
          ]
        : []),
    ];
  });
}

/** A receiver's judges tell refusals apart by the state that they were in. */
export function receiverJudges(receiver: PactProvider): Judges {
  return {
    ...receiver,
    enter: async ({ recorded: { interaction } }) => {
      for (const { name, params } of interaction.states)
        // oxlint-disable-next-line no-await-in-loop -- there is one
        await receiver.states[name]?.(params);
    },
  };
}
