import type { CheckRunner } from "@countersign/service/sandbox";
import type { Profile } from "@countersign/schemas/profiles";
import { providerOf } from "@countersign/schemas/provider-of";
import { shellWords } from "./verify/arguments.ts";

interface CheckedTarget {
  readonly url: string;
  readonly secret: string;
  readonly profile: Profile;
  /** Value of `--profile`, for the command lines that reproduce a failure. */
  readonly profileName: string;
}

/** Seed of all generated data, as in `countersign verify receiver`. */
const SEED = 1;

/** The checks of `countersign verify receiver`, for a sandbox to host. The kit is loaded when they are first used. */
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
  const words = profileName === "standard" ? [] : ["--profile", profileName];
  const given = ["countersign", "verify", "receiver", "--url", url, ...words];
  const replay = (check: string): string =>
    shellWords([...given, "--only", check, "--seed", String(SEED)]);
  return {
    planned: async () => {
      const { receiverChecks, requirements } = await load();
      const known = new Map(requirements("receiver").map((one) => [one.id, one]));
      return receiverChecks.flatMap(({ id: group, title, requirements: ids }) =>
        ids.flatMap((requirement) => {
          const found = known.get(requirement);
          if (found === undefined) return [];
          const { level, sentence: name, source, why } = found;
          const id = `${group}#${requirement}`;
          return [{ id, group, title, requirement, level, name, source, why }];
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
          onFinding: (finding) => onEntry(hide(kit.entryOfFinding(finding, { replay }))),
        });
        return hide(kit.reportOfRun(report, { replay, notes: target.notes() }));
      } finally {
        target.close();
      }
    },
  };
}
