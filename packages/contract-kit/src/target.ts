import type { Profile } from "@countersign/schemas";
import type { ProviderDocument } from "@countersign/schemas/providers";
import type { EventsDocument } from "./documents/index.ts";
import type { Send } from "./http-send.ts";
import type { HostedReceiver } from "./harness/endpoints.ts";
import type { ReceiverTarget } from "./harness/receiver-target.ts";

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
  /** Values of the claims that the document leaves to the user. */
  readonly claims: Readonly<Record<string, string>>;
  /** Every secret that it has had: no report contains one. */
  readonly secrets: Set<string>;
  /** Event types to trigger, the first of them by default. */
  readonly types: readonly [string, ...string[]];
  readonly commands: SenderCommands;
  readonly receiver: HostedReceiver;
  /** Describes its events; absent without such a document. */
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

export interface CommandFacts {
  readonly url: string;
  readonly secret: string;
  readonly type: string;
}

/** A command that was started. */
export interface RunningCommand {
  /** Rejects with a sentence if the command fails or takes too long. */
  readonly ended: Promise<void>;
  /** Ends it with its process group: all that it has started and that has not left the group. */
  readonly stop: () => void;
}

type Run = (facts: CommandFacts) => RunningCommand;

export interface SenderCommands {
  /** Makes the sender send one event. It may go on, and retry, after the event's first attempt. */
  readonly trigger: Run;
  /** Makes the sender send its events to another URL too; without it the trigger gets the URL, or the sender knows it. */
  readonly subscribe?: Run;
  /** Makes the sender repeat what has failed, at once. */
  readonly repeat?: Run;
  /** Gives the sender a new secret, which is that of the facts. */
  readonly rotate?: Run;
}

export type Target = ProviderTarget | SenderTarget | ReceiverTarget;
