import { type Claim, type ClaimRequest, type Inbox, memoryInbox } from "@countersign/receiver";
import {
  eventOf,
  type Happening,
  isGenuine,
  type MakeSubject,
  oursWith,
  scheme,
  secret,
  turn,
} from "./subject.ts";

// Receivers and inboxes with one classic fault each: the scenarios must tell them from ours.

/** Answers first and handles afterwards. */
export const acknowledgesBeforeCommit: MakeSubject = ({ handler, now }) => {
  const seen = new Set<string>();
  return {
    post(attempt) {
      if (!isGenuine(attempt, { now: now() })) return Promise.resolve(401);
      const event = eventOf(attempt.body);
      if (seen.has(event.id)) return Promise.resolve(204);
      handler(event).then(
        () => void seen.add(event.id),
        () => undefined,
      );
      return Promise.resolve(204);
    },
  };
};

/** Our receiver on an inbox that looks first and writes later. */
export const checksThenInserts: MakeSubject = oursWith((): Inbox => {
  const handled = new Set<string>();
  return {
    ...memoryInbox(),
    async claim({ key }: ClaimRequest): Promise<Claim> {
      const known = handled.has(key.id);
      await turn();
      return known ? { state: "handled" } : { state: "claimed", token: 1 };
    },
    async complete({ key }) {
      await turn();
      handled.add(key.id);
      return true;
    },
  };
});

/** Our receiver on an inbox that calls a claimed event a duplicate, and never lets it go. */
export const losesAfterFailure: MakeSubject = oursWith((): Inbox => {
  const claimed = new Set<string>();
  return {
    ...memoryInbox(),
    claim({ key }: ClaimRequest): Promise<Claim> {
      if (claimed.has(key.id)) return Promise.resolve({ state: "handled" });
      claimed.add(key.id);
      return Promise.resolve({ state: "claimed", token: 1 });
    },
    complete: () => Promise.resolve(true),
    release: () => Promise.resolve(true),
  };
});

/** Verifies the signature and never looks at its time. */
export const takesStaleSignatures: MakeSubject = ({ handler }) => ({
  async post(attempt) {
    const now = Number(attempt.headers["webhook-timestamp"]) * 1000;
    if (!isGenuine(attempt, { now })) return 401;
    await handler(eventOf(attempt.body));
    return 204;
  },
});

/** Parses the body and verifies what it prints of it. */
export const verifiesWhatItPrints: MakeSubject = ({ handler, now }) => ({
  async post({ headers, body }) {
    const event = JSON.parse(Buffer.from(body).toString()) as Happening;
    const printed = Buffer.from(JSON.stringify(event));
    if (!isGenuine({ headers, body: printed }, { now: now() })) return 401;
    await handler(event);
    return 204;
  },
});

/** Handles events in the order in which they arrive. */
export const assumesOrder: MakeSubject = ({ handler, now }) => {
  const seen = new Set<string>();
  return {
    async post(attempt) {
      if (!isGenuine(attempt, { now: now() })) return 401;
      const event = eventOf(attempt.body);
      if (!seen.has(event.id)) await handler(event);
      seen.add(event.id);
      return 204;
    },
  };
};

/** Logs what did not work, with all that may help. */
export const logsSecrets: MakeSubject = ({ handler, log, now }) => ({
  async post({ headers, body }) {
    const verification = scheme.verify({ headers, body }, [secret], { now: now() });
    if (!verification.ok) {
      log(JSON.stringify({ secret, headers, body: Buffer.from(body).toString() }));
      return 401;
    }
    await handler(eventOf(body));
    return 204;
  },
});

/** Takes every attempt for an event of its own. */
export const keepsNoRecord: MakeSubject = oursWith((): Inbox => ({
  ...memoryInbox(),
  claim: () => Promise.resolve({ state: "claimed", token: 1 }),
  complete: () => Promise.resolve(true),
}));

/** Handles the event and then asks its record whether it should have. */
export const handlesBeforeItClaims: MakeSubject = ({ handler, now }) => {
  const recorded = new Set<string>();
  return {
    async post(attempt) {
      if (!isGenuine(attempt, { now: now() })) return 401;
      const event = eventOf(attempt.body);
      await handler(event);
      if (recorded.has(event.id)) return 204;
      recorded.add(event.id);
      return 204;
    },
  };
};

/** Our receiver on an inbox that settles whatever a claimer says, also one that lost its claim. */
export const ignoresItsFence: MakeSubject = oursWith((): Inbox => {
  const inbox = memoryInbox();
  const tokens = new Map<string, number>();
  return {
    ...inbox,
    async claim(request: ClaimRequest): Promise<Claim> {
      const claim = await inbox.claim(request);
      if (claim.state === "claimed") tokens.set(request.key.id, claim.token);
      return claim;
    },
    complete: (settlement) =>
      inbox.complete({ ...settlement, token: tokens.get(settlement.key.id) ?? settlement.token }),
  };
});
