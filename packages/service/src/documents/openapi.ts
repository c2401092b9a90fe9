import type { Profile } from "@countersign/schemas/profiles";
import { sendingProviderOf } from "@countersign/schemas/provider-of";
import { headers, refusals, success, codesOf, operationsOf, type Operation } from "./operations.ts";
import { eventSchemas, signatureHeaders } from "./event-schemas.ts";
import {
  profiledSchemas,
  reachable,
  refTo,
  type Schema,
  type Schemas,
} from "./profiled-schemas.ts";
import { isRead, schemaFor, type Side } from "./sides.ts";

const info = {
  title: "Refunds, customers and webhook subscriptions",
  version: "1.0.0",
  description:
    "Within `/v1` members, events and codes may be added: a reader takes no notice of members that it does not know, and accepts other values of sets that are described as open. A writer keeps to what is here.",
  license: { name: "Apache-2.0", identifier: "Apache-2.0" },
};

/** The OpenAPI 3.1 document of a profile's interface and events. @param schemas As they are without a profile. */
export function openApiOf(profile: Profile, schemas: Schemas, side: Side = "writer"): object {
  const own = profiledSchemas(profile, schemas);
  const document = {
    openapi: "3.1.0",
    info,
    servers: [{ url: "/", description: "The service that answers with this document." }],
    tags: [
      { name: "interface", description: "The calls of the interface." },
      { name: "access", description: "How a client obtains access." },
      { name: "events", description: "What is sent to subscriptions." },
    ],
    paths: { ...paths(profile), [profile.token.path]: { post: tokenOperation(profile) } },
    webhooks: webhooks(profile, own, side),
  };
  const securitySchemes = {
    oauth: {
      type: "oauth2",
      description: "Interface section 5: `Authorization: Bearer <ACCESS_TOKEN>`.",
      flows: {
        clientCredentials: {
          tokenUrl: profile.token.path,
          scopes: {
            [profile.token.scopes.payments]: "Refunds.",
            [profile.token.scopes.core]: "Customers and webhooks.",
          },
        },
      },
    },
    client: { type: "http", scheme: "basic", description: "RFC 6749, section 2.3.1." },
  };
  const used = Object.entries(reachable({ document, headers }, own)).map(
    ([title, schema]): [string, Schema] => [
      title,
      schemaFor(isRead(title) ? side : "writer", schema),
    ],
  );
  const components = { schemas: Object.fromEntries(used), headers, securitySchemes };
  return { ...document, components };
}

function paths(profile: Profile): Record<string, object> {
  return Object.fromEntries(
    operationsOf(profile).map((operation) => [
      operation.path,
      { [operation.method]: operationObject(profile, operation) },
    ]),
  );
}

function operationObject(profile: Profile, operation: Operation): object {
  const { id, summary, description, scope, request, parameters } = operation;
  return {
    operationId: id,
    tags: ["interface"],
    summary,
    description,
    security: [{ oauth: [profile.token.scopes[scope]] }],
    ...(parameters && { parameters }),
    ...(request !== undefined && {
      requestBody: { required: true, content: { "application/json": { schema: refTo(request) } } },
    }),
    responses: { ...operation.success, ...refusals(profile, codesOf(operation)) },
  };
}

/** RFC 6749, section 4.4: its refusals have the body of section 5.2. */
function tokenOperation(profile: Profile): object {
  const schema = refTo("TokenRequest");
  const { 429: limited, ...others } = refusals(profile, [
    "NOT_ACCEPTABLE",
    "PAYLOAD_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    "RATE_LIMITED",
    "INTERNAL_SERVER_ERROR",
    "SERVICE_UNAVAILABLE",
  ]);
  return {
    operationId: "createToken",
    tags: ["access"],
    summary: "Obtain an access token",
    description: `OAuth 2 client credentials. A token lives ${profile.token.lifetimeSeconds} seconds.`,
    // By HTTP Basic, or by client_id and client_secret in the body.
    security: [{ client: [] }, {}],
    requestBody: {
      required: true,
      content: { "application/x-www-form-urlencoded": { schema }, "application/json": { schema } },
    },
    responses: {
      200: success("The token.", "TokenResponse"),
      400: success("RFC 6749, section 5.2.", "TokenError"),
      401: success("`invalid_client`.", "TokenError"),
      ...others,
      429: limited,
    },
  };
}

function webhooks(profile: Profile, schemas: Schemas, side: Side): Record<string, object> {
  const parameters = signatureHeaders(profile).map(({ name, description }) => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string" },
  }));
  const { success: delivered, goneStatus, timeoutMs } = sendingProviderOf(profile).sending;
  return Object.fromEntries(
    eventSchemas(profile, schemas).map(({ type, category, schema }) => [
      type,
      {
        post: {
          operationId: `on ${type}`.replaceAll(/[^A-Za-z0-9]+/g, "_"),
          tags: ["events"],
          summary: `${type}, of the category ${category}`,
          description: `Answer within ${timeoutMs} ms; every other answer than delivered and gone is followed by another attempt.`,
          // The signature proves who calls.
          security: [],
          parameters,
          requestBody: {
            required: true,
            content: { "application/json": { schema: schemaFor(side, schema) } },
          },
          responses: {
            [delivered === "200" ? "200" : "2XX"]: { description: "Delivered." },
            [goneStatus]: { description: "Gone: ends the deliveries of the subscription." },
          },
        },
      },
    ]),
  );
}
