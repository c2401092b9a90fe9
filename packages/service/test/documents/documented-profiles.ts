import { profiles, type Profile } from "@countersign/schemas/profiles";
import { sendingProviderOf } from "@countersign/schemas/provider-of";
import { reference } from "@countersign/schemas/providers";

const { standard } = profiles;
const { catalogue, sending } = sendingProviderOf(standard);

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
  provider: {
    ...reference,
    name: "other",
    event: {
      id: "body:/meta/id",
      type: "body:/name",
      category: "catalogue",
      time: { at: "body:/meta/at", unit: "iso" },
      data: "body:",
    },
    catalogue: [
      ...catalogue.map((row) => ({ ...row, resource: "body:/meta/about" })),
      { type: "dispute.opened", category: "PAYMENT", resource: "body:/meta/about" },
    ],
    sending: { ...sending, success: "200" },
  },
};

/** The profiles whose documents are held against the rules of their formats. */
export const documentedProfiles: readonly [name: string, profile: Profile][] = [
  ["standard", standard],
  ["x-signature", profiles["x-signature"]],
  ["other", otherProfile],
];
