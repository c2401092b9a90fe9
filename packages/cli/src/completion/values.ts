/** Values that are known beforehand; loaded when somebody asks for them. */
type Values = () => Promise<readonly string[]>;

const requirementIds: Values = async () => {
  const { requirements } = await import("@countersign/contract-kit");
  return requirements().map(({ id }) => id);
};

const checkedIds: Values = async () => {
  const { providerChecks, receiverChecks } = await import("@countersign/contract-kit");
  const checks = [...providerChecks, ...receiverChecks].map(({ id }) => id);
  return [...checks, ...(await requirementIds())];
};

const levelNames: Values = async () => (await import("../verify/verify-options.ts")).levels;

const profileNames: Values = async () => {
  const { profiles } = await import("@countersign/schemas/profiles");
  return Object.keys(profiles);
};

/** By an option's name, and by its command's where commands differ. Files stand beside some of them, and are the shell's to find. */
export const optionValues: Readonly<Record<string, Values>> = {
  "--profile": profileNames,
  "--only": checkedIds,
  "--skip": async () => (await checkedIds()).map((id) => `${id}=`),
  "--report": async () => {
    const { reportFormats } = await import("../verify/verify-options.ts");
    return reportFormats.map((format) => `${format}=`);
  },
  "--language": async () => Object.keys((await import("../types/languages.ts")).languages),
  "--broken": async () => Object.keys((await import("../send/broken.ts")).brokenKinds),
  "--role": () => Promise.resolve(["provider", "receiver"]),
  "--level": levelNames,
  "--provider": () => Promise.resolve(["countersign-service", "merchant-receiver"]),
  "--fail-on": levelNames,
  "diff --fail-on": () => Promise.resolve(["ERR", "WARN", "INFO"]),
};

/** By a command's name and its argument's. */
export const argumentValues: Readonly<Record<string, Values>> = {
  "requirements id": requirementIds,
  "send event-type": async () => {
    const { profiles } = await import("@countersign/schemas/profiles");
    return profiles.standard.catalogue.map(({ type }) => type);
  },
  "completion shell": async () => Object.keys((await import("./scripts.ts")).completionScripts),
};
