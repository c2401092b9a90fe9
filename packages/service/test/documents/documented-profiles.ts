import { profiles, type Profile } from "@countersign/schemas/profiles";

const { standard } = profiles;

/** As unlike the built-in ones as a profile can be. */
export const otherProfile: Profile = {
  ...standard,
  name: "other",
  token: {
    path: "/oauth/token",
    lifetimeSeconds: 120,
    scopes: { payments: "pay:write", core: "core:all" },
  },
  statuses: { ...standard.statuses, refundCreated: 202, subscribed: 201, errorBody: "flat" },
  refund: { ...standard.refund, duplicate: "reject", clientReferenceIdWhenAbsent: "omit" },
  amount: { ...standard.amount, minimumCents: 100, maximumCents: 200 },
  subscription: { ...standard.subscription, idIn: "path" },
  account: { types: ["checking", "savings", "current"], statuses: ["ACTIVE", "INACTIVE"] },
  limits: { ...standard.limits, key: 8, softDescriptor: 10, url: 60 },
  delivery: { ...standard.delivery, success: "200" },
  envelope: { id: "/meta/id", type: "/name", timestamp: "/meta/at", data: "" },
  catalogue: [
    ...standard.catalogue.map((row) => ({ ...row, resource: "/meta/about" })),
    { type: "dispute.opened", category: "PAYMENT", resource: "/meta/about" },
  ],
};

/** The profiles whose documents are held against the rules of their formats. */
export const documentedProfiles: readonly [name: string, profile: Profile][] = [
  ["standard", standard],
  ["x-signature", profiles["x-signature"]],
  ["other", otherProfile],
];
