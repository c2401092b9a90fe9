import type { TrueFinding } from "../matrix.ts";

/** A finding that the user of a library cannot change, at one version of it. */
export interface LibraryFault extends TrueFinding {
  /** Name and version, as in package.json. */
  readonly library: string;
}

const JOINED =
  "Node.js joins a repeated header with a comma and a space, and the library splits signatures at spaces: a foreign one passes next to the genuine one, in either order. Of a repeated timestamp it reads the first.";

const PARSED =
  "the library reads the timestamp with `parseInt` and prints it again before verifying, so any text around its digits passes, as do 01795305600, +1795305600, 1795305600.0 and 1795305600e0.";

// GENUINE is the signature over `ID.1795305600.BODY`, or over `1795305600.BODY`, by the receiver's own secret;
// FOREIGN is anybody's.
export const libraryFaults: readonly LibraryFault[] = [
  ...["standardwebhooks 1.1.1", "svix 2.5.0"].flatMap((library): readonly LibraryFault[] => [
    {
      library,
      requirement: "R-VERIFY-CANONICAL",
      why: PARSED,
      bytes: ["webhook-id: ID", "webhook-timestamp: 1795305600a", "webhook-signature: v1,GENUINE"],
    },
    {
      library,
      requirement: "R-HEADER-ONCE",
      why: JOINED,
      bytes: [
        "webhook-id: ID",
        "webhook-timestamp: 1795305600",
        "webhook-signature: v1,FOREIGN",
        "webhook-signature: v1,GENUINE",
      ],
    },
  ]),
  {
    library: "stripe 23.1.0",
    requirement: "R-VERIFY-CANONICAL",
    why: PARSED,
    bytes: ["Stripe-Signature: t=1795305600a,v1=GENUINE"],
  },
  {
    library: "stripe 23.1.0",
    requirement: "R-VERIFY-AHEAD",
    why: "the library bounds only the past: at 1795305600 a genuine signature ten years ahead passes, and then for ten years.",
    bytes: ["Stripe-Signature: t=2110665900,v1=GENUINE"],
  },
  {
    library: "stripe 23.1.0",
    requirement: "R-HEADER-ONCE",
    why: "Node.js joins a repeated header with a comma and a space, and the library splits parts at commas: it reads both headers as one.",
    bytes: [
      "Stripe-Signature: t=1795305600,v1=GENUINE",
      "Stripe-Signature: t=1795305600,v1=FOREIGN",
    ],
  },
];
