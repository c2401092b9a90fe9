import {
  attemptOf,
  type MakeSubject,
  NOON,
  paymentEvent,
  secret,
  turn,
  type World,
} from "./subject.ts";

/** One story told to a receiver. True where the receiver does what it must. */
export type Scenario = (make: MakeSubject) => Promise<boolean>;

/** A world that writes down what was handled and logged. */
function world(parts: Partial<World> = {}): World & {
  readonly handled: string[];
  readonly lines: string[];
} {
  const handled: string[] = [];
  const lines: string[] = [];
  return {
    handled,
    lines,
    handler: async ({ id }) => {
      await turn();
      handled.push(id);
    },
    log: (line) => void lines.push(line),
    now: () => NOON,
    ...parts,
  };
}

const event = paymentEvent("succeeded");
const isAcknowledged = (status: number): boolean => status >= 200 && status < 300;

/** Sends as a provider does: until it is acknowledged. */
async function deliver(post: () => Promise<number>): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) if (isAcknowledged(await post())) return;
}

/** A handler that fails the first time, and the record of the times that it succeeded. */
function failsOnce(): { handler: World["handler"]; succeeded: () => number } {
  let runs = 0;
  return {
    handler: async () => {
      await turn();
      runs += 1;
      if (runs === 1) throw new Error("the ledger is away");
    },
    succeeded: () => Math.max(0, runs - 1),
  };
}

/** What is acknowledged was handled. */
export const nothingIsAcknowledgedBeforeItIsHandled: Scenario = async (make) => {
  let settled = false;
  const handler = async (): Promise<void> => {
    await turn();
    settled = true;
  };
  const { post } = make(world({ handler }));
  return isAcknowledged(await post(attemptOf(event))) && settled;
};

/** Of attempts at the same moment one handles the event. */
export const oneOfManyHandles: Scenario = async (make) => {
  const around = world();
  const { post } = make(around);
  await Promise.all(Array.from({ length: 10 }, () => post(attemptOf(event))));
  return around.handled.length === 1;
};

/** An event whose handler fails is handled by a later attempt. */
export const aFailureIsTriedAgain: Scenario = async (make) => {
  const { handler, succeeded } = failsOnce();
  const { post } = make(world({ handler }));
  await deliver(() => post(attemptOf(event)).catch(() => 500));
  return succeeded() === 1;
};

/** A signature of yesterday opens nothing. */
export const yesterdayIsRefused: Scenario = async (make) => {
  const around = world();
  const status = await make(around).post(attemptOf(event, { now: NOON - 86_400_000 }));
  return status === 401 && around.handled.length === 0;
};

/** What is signed are the bytes: other bytes of the same value are no attempt, its own are. */
export const bytesAreWhatIsSigned: Scenario = async (make) => {
  const spaced = JSON.stringify(event, null, 2);
  const genuine = attemptOf(spaced, { id: "evt_succeeded" });
  const compact = attemptOf(event);
  const { post } = make(world());
  const tampered = await post({ headers: compact.headers, body: Buffer.from(spaced) });
  return tampered === 401 && isAcknowledged(await post(genuine));
};

/** A payment that has succeeded is not set back by what was told of it before. */
export const anOlderEventChangesNothing: Scenario = async (make) => {
  let state = "";
  const handler = async ({ type }: { readonly type: string }): Promise<void> => {
    await turn();
    state = type;
  };
  const { post } = make(world({ handler }));
  await post(attemptOf(paymentEvent("succeeded", { hour: 6 })));
  const late = await post(attemptOf(paymentEvent("created", { hour: 5 })));
  return state === "payment.succeeded" && isAcknowledged(late);
};

/** No line of a log holds a secret, a signature or a payload. */
export const logsAreClean: Scenario = async (make) => {
  const around = world();
  const { post } = make(around);
  const genuine = attemptOf(event);
  await post(genuine);
  await post({ ...genuine, body: Buffer.concat([genuine.body, Buffer.from(" ")]) });
  const text = around.lines.join("\n");
  const signature = genuine.headers["webhook-signature"] ?? "";
  return [secret, signature, "cus_1"].every((word) => word !== "" && !text.includes(word));
};

/** What was handled is not handled again, one attempt after the other. */
export const aDuplicateRunsNothing: Scenario = async (make) => {
  const around = world();
  const { post } = make(around);
  const statuses = [await post(attemptOf(event)), await post(attemptOf(event))];
  return around.handled.length === 1 && statuses.every(isAcknowledged);
};

/** A handler that outlived its lease does not settle the claim that another one holds now. */
export const aLostClaimSettlesNothing: Scenario = async (make) => {
  const clock = { now: NOON };
  const gates: (() => void)[] = [];
  const handler = (): Promise<void> => new Promise((resolve) => void gates.push(resolve));
  const { post } = make(world({ handler, now: () => clock.now }));
  const first = post(attemptOf(event));
  await turn();
  clock.now += 60_000;
  const second = post(attemptOf(event, { now: clock.now }));
  await turn();
  gates[0]?.();
  const late = await first;
  gates[1]?.();
  return !isAcknowledged(late) && isAcknowledged(await second) && gates.length === 2;
};
