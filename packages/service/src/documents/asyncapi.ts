import type { Profile } from "@countersign/schemas/profiles";
import { eventSchemas, signatureHeaders } from "./event-schemas.ts";
import { profiledSchemas, reachable, type Schema, type Schemas } from "./profiled-schemas.ts";
import { schemaFor, type Side } from "./sides.ts";

/** The AsyncAPI 3.0 document of a profile's events. @param schemas All schemas, as they are without a profile. */
export function asyncApiOf(profile: Profile, schemas: Schemas, side: Side = "writer"): object {
  const own = profiledSchemas(profile, schemas);
  const events = eventSchemas(profile, own);
  const messages = Object.fromEntries(
    events.map(({ type, category, schema }) => [
      type,
      {
        name: type,
        title: type,
        summary: `An event of the category ${category}.`,
        contentType: "application/json",
        headers: { $ref: "#/components/schemas/AttemptHeaders" },
        payload: schemaFor(side, schema),
      },
    ]),
  );
  const refs = events.map(({ type }) => type);
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Webhook events",
      version: "1.0.0",
      description:
        "Each event of a subscription is one POST to its `url`, signed with its `secretKey`, and sent again until it is answered as delivered. Types and members may be added: a reader takes no notice of what it does not know.",
      license: { name: "Apache-2.0" },
    },
    defaultContentType: "application/json",
    servers: {
      merchant: {
        host: "{merchant}",
        protocol: "https",
        description: "The address that a merchant subscribes.",
        variables: { merchant: { description: "Host of the merchant's receiver." } },
      },
    },
    channels: {
      subscription: {
        address: null,
        description: "The `url` of a subscription.",
        servers: [{ $ref: "#/servers/merchant" }],
        messages: Object.fromEntries(
          refs.map((type) => [type, { $ref: `#/components/messages/${type}` }]),
        ),
      },
    },
    operations: {
      deliver: {
        action: "send",
        channel: { $ref: "#/channels/subscription" },
        summary: "Deliver an event",
        messages: refs.map((type) => ({ $ref: `#/channels/subscription/messages/${type}` })),
        bindings: { http: { method: "POST", bindingVersion: "0.3.0" } },
      },
    },
    components: {
      messages,
      schemas: {
        AttemptHeaders: attemptHeaders(profile),
        ...Object.fromEntries(
          Object.entries(reachable(messages, own)).map(([title, schema]) => [
            title,
            schemaFor(side, schema),
          ]),
        ),
      },
    },
  };
}

function attemptHeaders(profile: Profile): Schema {
  const headers = signatureHeaders(profile);
  return {
    type: "object",
    required: headers.map(({ name }) => name),
    properties: Object.fromEntries(
      headers.map(({ name, description }) => [name, { type: "string", description }]),
    ),
  };
}
