import { readJson } from "../../../../scripts/schemas/load.ts";
import { markdownPage, markdownTable } from "./markdown.ts";

interface Requirement {
  readonly id: string;
  readonly needs?: string;
  readonly level: string;
  readonly sentence: string;
  readonly source: string;
  readonly profile?: string;
  readonly why: string;
  readonly fix: string;
  readonly checks: readonly string[];
  readonly unchecked?: string;
}

const roles = {
  provider: "Requirements for the provider's service",
  receiver: "Requirements for a merchant's receiver",
} as const;

/** Reads the files of `contracts/requirements/`. */
export function readRequirements(): readonly (Requirement & { readonly role: string })[] {
  return Object.keys(roles).flatMap((role) => {
    // A test of the workspace holds these files to their schema.
    const { requirements } = readJson(`contracts/requirements/${role}.json`) as {
      readonly requirements: readonly Requirement[];
    };
    return requirements.map((one) => ({ ...one, role }));
  });
}

/** The page of all requirements. */
export function requirementsPage(): string {
  const all = readRequirements();
  const checked = all.filter(({ checks }) => checks.length > 0);
  return markdownPage(
    { title: "Requirements", from: "contracts/requirements/" },
    `${all.length} sentences of the interface, each of which a test can fail; ${checked.length} are tested by checks of
\`@countersign/contract-kit\` against any target. The level says what breaking it leads to; \`--fail-on\` chooses the
levels that fail a run, the first two by default, and others are warnings.`,
    markdownTable(
      ["level", "consequence of breaking it"],
      [
        ["`exploitable`", "a stranger makes a target act, or learns what they must not"],
        ["`loses-or-repeats-events`", "events are lost or handled twice, or money is wrong"],
        ["`interoperability`", "a correct peer cannot work with the target, or works badly"],
        ["`hygiene`", "a defence in depth is missing"],
      ],
    ),
    `If the interface leaves a point open, the sentence rests on a value of the profile, named by its
JSON Pointer; another profile makes it another sentence. Reports link each requirement by its id, which never
changes.`,
    ...Object.entries(roles).flatMap(([role, title]) => [
      `## ${title}`,
      ...all.filter((one) => one.role === role).flatMap(paragraphs),
    ]),
  );
}

function paragraphs(one: Requirement): readonly string[] {
  const { id, needs, level, sentence, source, profile, why, fix, checks, unchecked } = one;
  const places = profile === undefined ? source : `${source}; profile \`${profile}\``;
  const tested =
    checks.length > 0
      ? `Checked by ${checks.map((check) => `\`${check}\``).join(", ")}.`
      : `Not checked: ${unchecked ?? "no reason is given."}`;
  return [
    `### ${id}`,
    `${sentence} (${level})`,
    `${why} (${places}.) ${tested}${needs === undefined ? "" : ` Only for profiles with \`${needs}\`.`}`,
    `Fix: ${fix}`,
  ];
}

interface Difference {
  readonly peer: string;
  readonly name: string;
  readonly theirs: string;
  readonly us: string;
  readonly why: string;
}

/** Returns the page of the attempts on which other libraries and this one differ. */
export function differencesPage(): string {
  // The tests of the signatures run every row against both libraries.
  const rows = readJson("contracts/vectors/disagreements.json") as readonly Difference[];
  return markdownPage(
    { title: "Differences from other libraries", from: "contracts/vectors/" },
    `On strict input (canonical timestamps and base64, one value per header, valid ids, UTF-8 bodies, secrets of 24 to 64 bytes, and for \`stripe\`
no times in the future) every verdict equals that of \`standardwebhooks\` 1.1.1, \`svix\` 2.5.0, \`stripe\` 23.1.0 and \`@octokit/webhooks-methods\`
6.0.0: a property test compares them. On other input they differ as follows; a test runs each row against both.`,
    markdownTable(
      ["library", "attempt", "the library", "Countersign", "reason"],
      rows.map(({ peer, name, theirs, us, why }) => [
        `\`${peer}\``,
        name,
        theirs,
        `\`${us}\``,
        why,
      ]),
    ),
  );
}
