import type { CheckRunner } from "@countersign/sandbox/internal";
import type { Profile } from "@countersign/schemas/profiles";
import { providerOf } from "@countersign/schemas/provider-of";
import { optionWords, shellWords } from "./verify/arguments.ts";

export interface CheckedTarget {
  /** The receiver's URL, that of `--deliver-to`. */
  readonly url: string;
  /** The secret that its deliveries are signed with. */
  readonly secret: string;
  readonly profile: Profile;
  /** Value of `--profile`, for the command lines that reproduce a failure. */
  readonly profileName: string;
}

/** Seed of all generated data, as in `countersign verify receiver`. */
const SEED = 1;

/**
 * The checks of `countersign verify receiver`, for a sandbox to host. The kit is loaded on first use
 * for them: a sandbox that nobody checks with starts without.
 */
export function receiverCheckRunner({
  url,
  secret,
  profile,
  profileName,
}: CheckedTarget): CheckRunner {
  const load = async () => ({
    ...(await import("@countersign/contract-kit")),
    ...(await import("@countersign/contract-kit/report")),
  });
  const replay = (check: string, at: { seed: number; path?: string }): string =>
    shellWords([
      "countersign",
      "verify",
      "receiver",
      ...optionWords({
        "--url": url,
        "--profile": profileName === "standard" ? undefined : profileName,
        "--only": check,
        "--seed": String(at.seed),
        "--path": at.path,
      }),
    ]);
  return {
    owed: async () => {
      const { receiverChecks, requirements } = await load();
      const known = new Map(requirements("receiver").map((one) => [one.id, one]));
      return receiverChecks.flatMap((check) =>
        check.requirements.flatMap((id) => {
          const requirement = known.get(id);
          if (requirement === undefined) return [];
          const { level, sentence, source, why } = requirement;
          return [
            {
              id: `${check.id}#${id}`,
              group: check.id,
              title: check.title,
              requirement: id,
              level,
              name: sentence,
              source,
              why,
            },
          ];
        }),
      );
    },
    run: async ({ signal, onCheck, onEntry }) => {
      const kit = await load();
      const target = kit.receiverTarget({ url, secrets: [secret], provider: providerOf(profile) });
      const hide = kit.redactor([secret]);
      try {
        const report = await kit.run({
          target,
          checks: kit.receiverChecks,
          requirements: kit.requirements("receiver"),
          seed: SEED,
          signal,
          onCheck: ({ id, title }, place, total) => onCheck({ check: id, title, place, total }),
          onFinding: (finding) =>
            onEntry(hide(kit.entryOfFinding(finding, { seed: SEED, replay }))),
        });
        return hide(kit.reportOfRun(report, { replay, notes: target.notes() }));
      } finally {
        target.close();
      }
    },
  };
}
