import {
  checkOwned,
  clientToken,
  hostReceiver,
  httpSend,
  pacedSend,
  probeProvider,
  providerChecks,
  type ProviderTarget,
  TargetNotOwnedError,
  TargetUnusableError,
} from "@countersign/contract-kit";
import type { Profile } from "@countersign/schemas/profiles";
import { define } from "../command.ts";
import { badEnvironment, secretFrom } from "../environment.ts";
import { Failure, messageOf } from "../failure.ts";
import * as option from "../options.ts";
import { listenFailure } from "../port.ts";
import { loadProfile } from "../provider.ts";
import type { Surroundings } from "../terminal.ts";
import { parseListen, targetUrl, withoutQuery } from "../verify/arguments.ts";
import { type OpenedTarget, verifyTarget } from "../verify/verify.ts";
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

/** Options that say how a service is reached, and how it reaches this command. */
export const serviceOptions = {
  stateUrl: option.text("<url>", "state-change URL (default: /sandbox/states of the service)"),
  listen: option.listenAt,
  callbackUrl: option.text("<url>", "base URL by which the provider reaches --listen"),
  profile: option.profile,
};

const options = {
  url: option.required(option.text("<url>", "base URL of the service")),
  ...serviceOptions,
  iOwn: option.iOwn,
  slow: option.flag("also run checks that wait for the profile's deadlines"),
  runs: option.integer("<number>", "scenarios of a generated check", [1, 1_000_000], 50),
  timeout: option.integer("<seconds>", "end the run after this time", [1, 1_000_000], 900),
  ...verifyOptions,
};
type Options = option.ValuesOf<typeof options>;

/** `countersign verify provider`. */
export const verifyProvider = define({
  options,
  help,
  run: async (given, surroundings, { command }) => {
    const { runs, profile: name } = given;
    const profile = await loadProfile(name);
    const open = async (): Promise<OpenedTarget<ProviderTarget>> => {
      const url = targetUrl(given.url, "--url");
      const opened = await openService({ ...given, url }, profile, surroundings);
      const count = Math.ceil((CALLS.always + CALLS.scenario * runs) / 100) * 100;
      surroundings.terminal.err(
        `sends about ${count} calls to ${withoutQuery(url.href)}, which make refunds and subscriptions`,
      );
      return { ...opened, notes: () => notesOf(opened.target) };
    };
    const interruption = (): AbortSignal =>
      AbortSignal.any([surroundings.interruption(), AbortSignal.timeout(given.timeout * 1000)]);
    return verifyTarget({ role: "provider", checks: providerChecks, command, runs, open }, given, {
      ...surroundings,
      interruption,
    });
  },
});

/** Calls of a run, measured: those of every run, and those of each scenario of the generated checks. */
const CALLS = { always: 1600, scenario: 42 };

interface ServicePlace extends Pick<Options, "stateUrl" | "listen" | "callbackUrl"> {
  readonly url: URL;
  readonly iOwn?: string | undefined;
  readonly slow?: boolean | undefined;
  /** True for consumers' pacts: their calls attack nothing, so they may go to any machine. Each begins with a state. */
  readonly isForPacts?: boolean;
}

/** Another machine is attacked only with its owner's consent, and below its own rate limits. */
export async function openService(
  { url, iOwn, slow = false, isForPacts = false, ...given }: ServicePlace,
  profile: Profile,
  { env }: Surroundings,
) {
  const stateUrl = targetUrl(given.stateUrl ?? statesOf(url), "--state-url");
  const closing: (() => void)[] = [];
  const close = (): void => {
    for (const end of closing) end();
  };
  const sender = (to: URL): ProviderTarget["send"] => {
    if (!isForPacts) checkOwned(to, iOwn);
    const isLoopbackOnly = !isForPacts && iOwn === undefined;
    const { send, close: end } = httpSend(to.href, { isLoopbackOnly });
    closing.push(end);
    return send;
  };
  try {
    const plain = sender(url);
    const perSecond = iOwn === undefined ? undefined : profile.rateLimit.refundsPerSecond / 2;
    const send = pacedSend(plain, perSecond);
    const first = await merchantFrom(env, "", { send, profile });
    if (first === undefined)
      throw badEnvironment(
        "missing credentials: set COUNTERSIGN_TOKEN, or COUNTERSIGN_CLIENT_ID and COUNTERSIGN_CLIENT_SECRET",
      );
    const second = await merchantFrom(env, "_2", { send, profile });
    const receiver = await receiverOf({ ...given, iOwn });
    if (receiver !== undefined) closing.push(receiver.close);
    const common = {
      role: "provider",
      url: url.href.replace(/\/+$/, ""),
      send,
      // To test the rate limits.
      sendUnpaced: plain,
      profile,
      slow,
      ...(receiver && { receiver }),
    } as const;
    const stateToken = await secretFrom(env, "COUNTERSIGN_STATE_TOKEN");
    const states = {
      url: stateUrl.href,
      send: sender(stateUrl),
      token: stateToken === undefined ? first.merchant.token : () => Promise.resolve(stateToken),
    };
    const other = second && { other: { ...common, ...second.merchant } };
    const target = await probeProvider(
      { ...common, ...first.merchant, ...other, states },
      { isStateUrlGiven: isForPacts || given.stateUrl !== undefined },
    );
    const secrets = [...first.secrets, ...(second?.secrets ?? []), stateToken ?? []].flat();
    return { target, secrets, close };
  } catch (error) {
    close();
    if (error instanceof TargetNotOwnedError)
      throw new Failure("CS_CLI_TARGET_NOT_OWNED", error.message, error);
    throw unverifiable(error, env);
  }
}

/**
 * A merchant by its credentials in the environment, and the texts that no report may contain; `undefined` without any.
 * @param suffix Behind the variables' names: nothing for the first merchant, `_2` for the second.
 */
async function merchantFrom(
  env: Surroundings["env"],
  suffix: "" | "_2",
  { send, profile }: Pick<ProviderTarget, "send" | "profile">,
) {
  const given = await secretFrom(env, `COUNTERSIGN_TOKEN${suffix}`);
  const id = await secretFrom(env, `COUNTERSIGN_CLIENT_ID${suffix}`);
  const secret = await secretFrom(env, `COUNTERSIGN_CLIENT_SECRET${suffix}`);
  if ((id === undefined) !== (secret === undefined)) {
    const [missing, there] = id === undefined ? ["ID", "SECRET"] : ["SECRET", "ID"];
    throw badEnvironment(
      `COUNTERSIGN_CLIENT_${there}${suffix} is set, and COUNTERSIGN_CLIENT_${missing}${suffix} is not`,
    );
  }
  const own = (): Promise<string> => Promise.resolve(given ?? "");
  if (id === undefined || secret === undefined)
    return given === undefined ? undefined : { merchant: { token: own }, secrets: [given] };
  const client = { id, secret };
  const token = given === undefined ? clientToken({ send, path: profile.token.path, client }) : own;
  // Requested before anything else: without a token nothing is verified, and no report may contain it.
  const first = await token().catch((cause: unknown) => {
    throw new Failure("CS_CLI_UNVERIFIED", messageOf(cause), cause);
  });
  const basic = Buffer.from(`${id}:${secret}`).toString("base64");
  return { merchant: { token, client }, secrets: [first, secret, basic] };
}

/** Names the variable of a token that the target refused; any other error stays as it is. */
function unverifiable(error: unknown, env: Surroundings["env"]): unknown {
  if (!(error instanceof TargetUnusableError)) return error;
  const isSet = (name: string): boolean => [name, `${name}_FILE`].some((one) => env[one]);
  const sources = ["COUNTERSIGN_TOKEN", "COUNTERSIGN_CLIENT_ID"];
  if (error.refused === "state token") sources.unshift("COUNTERSIGN_STATE_TOKEN");
  const hint = error.refused === undefined ? "" : `; check ${sources.find(isSet) ?? sources[0]}`;
  return new Failure("CS_CLI_UNVERIFIED", `${error.message}${hint}`, error);
}

/** Returns the URL at which a sandbox prepares states. */
function statesOf({ href }: URL): string {
  const at = new URL(href);
  at.pathname = `${at.pathname.replace(/\/+$/, "")}/sandbox/states`;
  return at.href;
}

async function receiverOf({
  listen,
  callbackUrl,
  iOwn,
}: Pick<Options, "listen" | "callbackUrl" | "iOwn">): Promise<ProviderTarget["receiver"]> {
  // Loopback is out of another machine's reach.
  if (listen === undefined && iOwn !== undefined) return undefined;
  const address = parseListen(listen ?? "127.0.0.1", callbackUrl);
  try {
    return await hostReceiver({ ...address, ...(callbackUrl && { callbackUrl }) });
  } catch (cause) {
    throw listenFailure(cause, `--listen ${listen ?? address.host}`);
  }
}

function notesOf({ receiver, states }: ProviderTarget): readonly string[] {
  const unheard =
    "Nothing was delivered to this command: the target is another machine, and --listen is missing.";
  const stateless =
    "No provider states were prepared: nothing answers at /sandbox/states, and --state-url is missing.";
  return [
    ...(receiver === undefined ? [unheard] : []),
    ...(states === undefined ? [stateless] : []),
  ];
}
