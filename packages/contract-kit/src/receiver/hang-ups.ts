import { sleep } from "../harness/clock.ts";
import type { KitSender } from "../harness/kit-sender.ts";

const FAILED = "R-ACK-FAILED";
const DUPLICATE = "R-ONCE-DUPLICATE";

/** Milliseconds after which a sender hangs up that has sent a whole attempt: before, during and after its handler. */
const PATIENCE_MS = [0, 5, 15, 30, 80];
/** Milliseconds until the next attempt. */
const RETRY_MS = 150;

/** The sender stops waiting for the answer, as each sender's timeout does, and repeats the event. */
export async function hangUps(kit: KitSender): Promise<void> {
  const { verdicts, target } = kit;
  const { clock } = target.sockets;
  kit.blamedIfLost = FAILED;
  // Events that get lost without a sender that hangs up are no fault of that.
  const plain = [kit.attempt(), kit.attempt()];
  const hangUp = async (ms: number, index: number) => {
    const first = kit.attempt({ row: kit.row(index) });
    const { connection } = await kit.begin(first);
    connection.write(first.body);
    await connection.ready;
    await sleep(clock, ms);
    connection.close();
    await sleep(clock, RETRY_MS);
    const again = kit.attempt({ event: first.event, retries: 1 });
    return { ms, event: first.event, reply: await kit.post(again) };
  };
  const [sent] = await Promise.all([Promise.all(PATIENCE_MS.map(hangUp)), kit.postAll(plain)]);
  const accepted = sent.filter(({ reply }) => reply.isAcknowledged);
  const seen = await kit.waitForEffects([...accepted, ...plain].map(({ event }) => event));
  if (plain.some(({ event }) => seen?.count(event) !== 1)) return;
  for (const { ms, event, reply } of sent) {
    const what = `${event.type}, whose sender hung up ${ms} ms after the whole attempt and repeated it`;
    // The first run may still be in progress.
    if (reply.isBusy || reply.status === 409) continue;
    if (!reply.isAcknowledged) {
      verdicts.fail(FAILED, reply.insteadOf(`${what}: expected an acknowledgement`), [reply]);
      continue;
    }
    const count = seen?.count(event) ?? 1;
    if (count === 1) continue;
    const message = `${what}: acknowledged, and its handler has succeeded ${count} times`;
    verdicts.fail(count === 0 ? FAILED : DUPLICATE, message, [reply]);
  }
}
