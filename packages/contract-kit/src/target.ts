import type { Profile } from "@countersign/schemas";
import type { ProviderDocument } from "@countersign/schemas/providers";
import type { Secret } from "@countersign/signatures";
import type { EventsDocument } from "./documents/index.ts";
import type { Send } from "./http-send.ts";
import type { Effects } from "./harness/effects.ts";
import type { Attempt } from "./harness/attempt-maker.ts";
import type { ProviderEvents, TestEvent } from "./harness/provider-events.ts";
import type { Signing } from "./harness/signing.ts";
import type { HostedReceiver } from "./harness/endpoints.ts";
import type { Sockets } from "./harness/sockets.ts";

/** A provider's service, in any language, as one merchant sees it. */
export interface ProviderTarget {
  readonly role: "provider";
  /** Base URL, for the lines that show a failure. */
  readonly url: string;
  readonly send: Send;
  /** Sends without waiting for the target's rate limits, to test them. Default: `send`. */
  readonly sendUnpaced?: Send;
  /** An access token with every scope; requested again for each call, so that it may expire. */
  readonly token: () => Promise<string>;
  readonly profile: Profile;
  /** The state-change URL; without it, requirements that need a state are not verified. */
  readonly states?: StateChanges;
  /** The kit's receiver of deliveries; without it, they are not verified. */
  readonly receiver?: HostedReceiver;
  /** A client that may request access tokens; without it the token endpoint is not verified. */
  readonly client?: { readonly id: string; readonly secret: string };
  /** Another existing merchant, if no state makes one. */
  readonly other?: ProviderTarget;
  /** True to run checks that wait for the profile's own deadlines. Default false. */
  readonly slow?: boolean;
  /** Places of members that no schema lists, if the profile allows them: checks add to it. */
  readonly additions?: Set<string>;
}

/** An endpoint that prepares provider states by Pact's convention, `POST { state, params, action }`. */
export interface StateChanges {
  readonly url: string;
  /** Sends calls below `url`. */
  readonly send: Send;
  /** Sent as a bearer token. */
  readonly token: () => Promise<string>;
}

/** A sender of webhooks, in any language, that the user's commands make send. */
export interface SenderTarget {
  readonly role: "sender";
  /** The URL of the kit's endpoint, for reports. */
  readonly url: string;
  readonly provider: ProviderDocument;
  /** For reports: a provider's document takes the place of a profile. */
  readonly profile: Pick<Profile, "name" | "payments">;
  /** Values of the claims that the document leaves to the user. */
  readonly claims: Readonly<Record<string, string>>;
  /** Every secret that it has had: no report contains one. */
  readonly secrets: Set<string>;
  /** Event types to trigger, the first of them by default. */
  readonly types: readonly [string, ...string[]];
  readonly commands: SenderCommands;
  readonly receiver: HostedReceiver;
  /** Describes its events; absent if there is no such document. */
  readonly document?: EventsDocument;
  /** Milliseconds that a retry may take. */
  readonly waitMs: number;
  readonly slow: boolean;
  /** Facts that one check of a run learns and later ones need. */
  readonly runState: SenderState;
}

interface SenderState {
  /** The secret that it signs with; for a public-key scheme, the public key. */
  secret: string;
  /** The measured delay of a retry in milliseconds; 0 if a command makes it retry. */
  retryMs?: number;
  /** True if it sends to the URL that the trigger gets; otherwise it knows one URL only. */
  followsUrl?: boolean;
  /** True if a further subscription leaves the ones before. */
  hasSeveralEndpoints?: boolean;
  /** Events of earlier checks, which may still be repeated. */
  readonly known: Set<string>;
}

/** Facts that a command gets. */
export interface CommandFacts {
  readonly url: string;
  readonly secret: string;
  readonly type: string;
}

/** A command that was started. */
export interface RunningCommand {
  /** Rejects with a sentence if the command fails or takes too long. */
  readonly ended: Promise<void>;
  /** Ends it with all that it has started. */
  readonly stop: () => void;
}

type Run = (facts: CommandFacts) => RunningCommand;

/** The user's commands. */
export interface SenderCommands {
  /** Makes the sender send one event. It may go on, and retry, after the event's first attempt. */
  readonly trigger: Run;
  /** Makes the sender send its events to another URL too; without it the trigger gets the URL, or the sender knows it. */
  readonly subscribe?: Run;
  /** Makes the sender repeat what has failed, at once. */
  readonly repeat?: Run;
  /** Gives the sender a new secret, which is that of the facts. */
  readonly rotate?: Run;
  /** Makes the sender send again after 410. */
  readonly reopen?: Run;
}

/** A merchant's receiver, in any language, as the sender of attempts sees it; `receiverTarget` makes one. */
export interface ReceiverTarget {
  readonly role: "receiver";
  /** The URL that attempts are posted to. */
  readonly url: string;
  /** Sends attempts as bytes, over its own sockets. */
  readonly sockets: Sockets;
  /** The provider whose attempts are sent. */
  readonly provider: ProviderDocument;
  /** The provider's name, and whether its events are those of the payment interface. */
  readonly profile: Pick<Profile, "name" | "payments">;
  /** Signs attempts as the provider does. */
  readonly signing: Signing;
  /** Writes the provider's events. */
  readonly events: ProviderEvents;
  /** True if each type of `events` is known to have a handler: otherwise types without an effect are left out. */
  readonly handlesAll: boolean;
  /** Secrets that the receiver knows, the one to sign with first. */
  readonly secrets: readonly Secret[];
  /** The handlers' effects; absent if the target does not show them. */
  readonly effects?: Effects;
  /** Milliseconds that an effect may take to show after its attempt was acknowledged. */
  readonly effectsWaitMs: number;
  /** Makes the ids of a run differ from those of earlier runs, which the receiver may remember. */
  readonly nonce: string;
  /** Facts that a reader of the report needs in addition to the findings, a sentence each. */
  readonly notes: () => readonly string[];
  /** Closes everything that is open. */
  readonly close: () => void;
  /** True to run checks that wait for the receiver's own deadlines. */
  readonly slow: boolean;
  /** Rounds of each generated search: 1, or 10 if it is thorough. */
  readonly effort: number;
  /** True to judge what only strict receivers do, such as refusing a member that appears twice. */
  readonly strict: boolean;
  /** Restarts the receiver; absent if it cannot be restarted. */
  readonly restart?: () => Promise<void>;
  /** Facts that one check of a run learns and later ones need. */
  readonly runState: RunState;
}

interface RunState {
  /** The reason if genuine attempts are refused; `undefined` if they are accepted, absent until a check has looked. */
  diagnosis?: Promise<string | undefined>;
  /** The reason if nothing more is sent. */
  lost?: string;
  /** True if it was still lost when the next check began; absent until then. */
  isGone?: boolean;
  /** When the first check began, in milliseconds of the target's clock. */
  startedAt?: number;
  /** When its time is over, by the same clock: nothing more is sent. */
  endsAt?: number;
  /** Milliseconds spent on retries that failed in the end. */
  futileMs: number;
  /** Events that were handled once, the oldest first: they are read again, and sent again, at the end. */
  readonly handled: TestEvent[];
  /** Attempts that were refused and had no effect when it was read. */
  readonly refused: Attempt[];
}

export type Target = ProviderTarget | SenderTarget | ReceiverTarget;
