import { receiverChecks, type ReceiverTarget } from "@countersign/contract-kit";
import { define } from "../command.ts";
import { signingSecret } from "../environment.ts";
import { withoutQuery } from "../verify/arguments.ts";
import {
  openReceiverTarget,
  receiverOptions,
  secretsFrom,
} from "../verify/open-receiver-target.ts";
import { verifyTarget } from "../verify/verify.ts";
import { verifyHelp, verifyOptions } from "../verify/verify-options.ts";

const help = `
Sends genuine and forged webhooks to a receiver in any language and reports which requirements hold, with the bytes of both sides.
Every generated id begins with cstest_ where the provider's ids allow it. Redirects are not followed.

Attempts are those of --provider: its headers, signatures, ids and clock; without it, those of the payment interface (--profile).
What a provider's scheme cannot show, such as the age of an attempt whose time it does not sign, is not applicable.

The report names what the run could see:
  no effects   answers only: forged attempts, raw bytes, sizes, media types, deadlines. Takes less than 10 s; the one for CI
  effects      what handlers did, too: --effects-url lists it, or --effects 'sql:SELECT id, type, count FROM …' reads your own table
  samples      bodies like yours, with new ids: --samples, one JSON body a file (TYPE.json if a header has the type), or --openapi

--effects-url: GET returns a list of {"eventId", "type", "count"}, and PUT {"failNext": n} makes the next n handlers fail. --effects
reads rows of event id, type and count with a query of your own.

With --restart-command, events are sent again after a restart. With --reconcile-command, some events never arrive: the command gets
COUNTERSIGN_LIST_URL, a list of events in the form of the provider's API, and makes the receiver handle those that it misses. Each
command must exit with 0 within 60 s.

A target on another machine needs --i-own HOST and gets at most 50 requests per second.
${verifyHelp}

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_SECRET                  signing secret of the receiver, or several separated by spaces: the first one signs, and each must
                                      be accepted. A private key in PEM where the receiver verifies with a public one
  COUNTERSIGN_EFFECTS_DATABASE_URL    of --effects: postgres://USER:PASSWORD@HOST/DATABASE, or sqlite:FILE
  COUNTERSIGN_API_KEY                 of providers that sign one, such as LiveKit

Examples:
  countersign verify receiver --provider stripe --url http://localhost:3000/webhooks
  countersign verify receiver --provider github --url http://localhost:3000/hooks --samples test/events
  countersign verify receiver --provider stripe --url http://localhost:3000/webhooks --effects 'sql:SELECT event_id, type, runs FROM done'
  countersign verify receiver --url http://localhost:3000/webhooks --effects-url http://localhost:3000/effects
  countersign verify receiver --url https://staging.example/hooks --i-own staging.example --slow
  countersign verify receiver --url http://localhost:3000/webhooks --report junit=receiver.xml,html=receiver.html
  countersign verify receiver --url http://localhost:3000/webhooks --restart-command "docker restart shop"
  countersign verify receiver --url http://localhost:3000/webhooks --only R-VERIFY-RAW --profile x-signature`;

/** `countersign verify receiver`. */
export const verifyReceiver = define({
  options: { ...receiverOptions, ...verifyOptions },
  help,
  run: (options, surroundings, { command }) =>
    verifyTarget(
      {
        role: "receiver",
        checks: receiverChecks,
        command,
        open: async () => {
          const secrets = secretsFrom(await signingSecret(surroundings));
          const { target, close } = await openReceiverTarget(options, secrets, surroundings);
          const { expectedRequests, maxRequests, url } = target;
          surroundings.terminal.err(
            `sends about ${expectedRequests} requests, at most ${maxRequests}, to ${withoutQuery(url)}; genuine ones run your handlers`,
          );
          const notes = (): readonly string[] => [...tierNotes(target), ...target.notes()];
          return { target, secrets, notes, close };
        },
      },
      options,
      surroundings,
    ),
});

/** Returns the notes on the parts of the receiver that the run could see. */
function tierNotes({ effects, events, provider }: ReceiverTarget): readonly string[] {
  const isReal =
    events.samples.size > 0 ||
    events.document !== undefined ||
    events.rows.some(({ kind, schema, sample }) => kind ?? schema ?? sample);
  return [
    effects === undefined
      ? "tier: no effects. Answers were judged, not what handlers did: --effects-url or --effects shows that"
      : "tier: effects. Answers and what handlers did were judged",
    isReal
      ? "payloads were made like samples or schemas"
      : `payloads were not real: bodies had only what identifies an event of ${provider.title}; --samples sends bodies like yours`,
  ];
}
