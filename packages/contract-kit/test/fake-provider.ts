import { profiles } from "@countersign/schemas/profiles";
import type { ProviderCheck, Verdict } from "../src/check.ts";
import type { ProviderTarget } from "../src/target.ts";

export const unreachable: ProviderTarget = {
  role: "provider",
  url: "http://127.0.0.1:1",
  send: () => Promise.reject(new Error("nobody is there")),
  token: () => Promise.resolve("the-token"),
  profile: profiles.standard,
};

export const checkOf = (id: string, ...verdicts: readonly Verdict[]): ProviderCheck => ({
  id,
  title: id,
  role: "provider",
  requirements: verdicts.map(({ requirement }) => requirement),
  run: () => Promise.resolve(verdicts),
});
