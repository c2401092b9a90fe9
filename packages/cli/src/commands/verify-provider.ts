import { providerChecks } from "@countersign/contract-kit";
import { define } from "../command.ts";
import { loadProfile } from "../provider.ts";
import { openProviderTarget, providerOptions } from "../verify/open-provider-target.ts";
import { verifyTarget } from "../verify/verify.ts";
import { verifyHelp, verifyOptions } from "../verify/verify-options.ts";

const help = `
Tests every answer against its schema, and sends invalid requests, generated sequences and expired tokens. It listens for webhooks
and compares each one with its resource and the call that caused it. Creates refunds and subscriptions and sends invalid requests:
run it against a test environment.

A state-change URL prepares payments, customers and time: POST { state, params, action }, as Pact's verifier calls it;
docs/guides/states.md lists the states. Without one, requirements that need a state are not applicable.

A target on another machine needs --i-own HOST and gets at most half of the profile's calls per second.

Consumers' pacts are verified by \`countersign verify pacts\`. A service with another interface that sends webhooks is tested by
\`countersign verify sender\`.
${verifyHelp}

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_TOKEN            access token with every scope
  COUNTERSIGN_CLIENT_ID        OAuth client, to test its tokens
  COUNTERSIGN_CLIENT_SECRET    secret of the client
  COUNTERSIGN_TOKEN_2          token of a second merchant, to test isolation
  COUNTERSIGN_CLIENT_ID_2      client of the second merchant
  COUNTERSIGN_CLIENT_SECRET_2  secret of that client
  COUNTERSIGN_STATE_TOKEN      bearer token of the state-change URL (default: COUNTERSIGN_TOKEN)

Examples:
  countersign verify provider --url http://127.0.0.1:4010
  countersign verify provider --url https://staging.example --i-own staging.example
  countersign verify provider --url https://staging.example --i-own staging.example --state-url https://staging.example/test/states --listen 0.0.0.0:8443 --callback-url https://ci.example/hooks --report junit=provider.xml
  countersign verify provider --url http://127.0.0.1:4010 --only provider/amounts --seed 7`;

/** `countersign verify provider`. */
export const verifyProvider = define({
  options: { ...providerOptions, ...verifyOptions },
  help,
  run: async (options, surroundings, { command }) => {
    const profile = await loadProfile(options.profile);
    const { runs } = options;
    const open = () => openProviderTarget(options, profile, surroundings);
    const interruption = (): AbortSignal =>
      AbortSignal.any([surroundings.interruption(), AbortSignal.timeout(options.timeout * 1000)]);
    return verifyTarget(
      { role: "provider", checks: providerChecks, command, runs, open },
      options,
      { ...surroundings, interruption },
    );
  },
});
