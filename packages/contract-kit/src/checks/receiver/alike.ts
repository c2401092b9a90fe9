import type { ReceiverCheck } from "../../check.ts";
import type { Attempt } from "../../harness/bench.ts";
import { receiverCheck } from "../../harness/play.ts";
import type { Reply } from "../../harness/reply.ts";
import { unverified } from "../../harness/strangers.ts";

const ALIKE = "R-VERIFY-ALIKE";

/** Refusals for the signature or the time, each twice: what differs by itself tells nothing. */
export const alike: ReceiverCheck = receiverCheck({
  id: "receiver/alike",
  title: "no refusal reveals what was wrong with the signature or the time",
  requirements: [ALIKE],
  play: async (bench) => {
    const { docket } = bench;
    const kinds = unverified(bench);
    const attempts = kinds.flatMap(({ make }) => [make(), make()]);
    const replies = await bench.postAll(attempts);
    if (replies[0]?.isAcknowledged === true) {
      docket.unseen(ALIKE, "it takes what another secret signed");
      return;
    }
    const told = attempts.map((attempt, index) => seenOf(replies[index], attempt));
    const isRefused = replies.map((reply) => reply.status !== undefined && !reply.isAcknowledged);
    // Values that differ between two refusals for one reason are ids and times of the receiver's own.
    const moving = new Set(
      kinds.flatMap((_kind, kind) => {
        const [one, two] = [told[2 * kind], told[2 * kind + 1]];
        return [...(one?.keys() ?? [])].filter((name) => one?.get(name) !== two?.get(name));
      }),
    );
    kinds.forEach(({ what }, kind) => {
      const [reference, own] = [told[0], told[2 * kind]];
      // What is taken, or has no answer, is another requirement's affair.
      if (reference === undefined || own === undefined || !isRefused[2 * kind]) return;
      const parts = [...new Set([...reference.keys(), ...own.keys()])];
      const apart = parts.find(
        (name) => !moving.has(name) && reference.get(name) !== own.get(name),
      );
      docket.judge(
        ALIKE,
        apart === undefined,
        [replies[0], replies[2 * kind]],
        () =>
          `an attempt ${what} differs from one ${kinds[0]?.what ?? ""} by its ${apart}: ${shown(own, apart)} and ${shown(reference, apart)}`,
      );
    });
    docket.unseen(ALIKE, "no refusal was answered");
  },
});

/** Headers that belong to the connection or the moment. */
const OF_THE_MOMENT = new Set(["date", "connection", "keep-alive", "content-length", "set-cookie"]);

/** All that a refusal says: its status, its headers and its body, without what names the attempt. */
function seenOf(reply: Reply | undefined, { ids }: Attempt): ReadonlyMap<string, string> {
  if (reply?.received.kind !== "answer") return new Map();
  const { status, headers } = reply.received.answer;
  const plain = (text: string): string =>
    ids
      .reduce((before, id) => before.replaceAll(id, "ID"), text)
      .replaceAll(/\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[+-]\d\d:?\d\d)?/g, "TIME")
      .replaceAll(/\d{10,}/g, "NUMBER");
  return new Map([
    ["status", String(status)],
    ...headers
      .filter(([name]) => !OF_THE_MOMENT.has(name))
      .map(([name, value]): [string, string] => [name, plain(value)]),
    ["body", plain(reply.text)],
  ]);
}

function shown(told: ReadonlyMap<string, string>, name: string | undefined): string {
  return JSON.stringify((told.get(name ?? "") ?? "nothing").slice(0, 120));
}
