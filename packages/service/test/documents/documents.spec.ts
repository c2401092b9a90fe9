import { profiles, type Profile } from "@countersign/schemas/profiles";
import { sendingProviderOf } from "@countersign/schemas/provider-of";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { asyncApiOf } from "../../src/documents/asyncapi.ts";
import { schemas } from "../../src/documents/generated/schemas.ts";
import { openApiOf } from "../../src/documents/openapi.ts";
import { ciAfter } from "../../../../test/tags.ts";
import { eventsOf, everything } from "../everything.ts";
import { openService } from "../open-service.ts";
import { documentedProfiles as all, otherProfile as other } from "./documented-profiles.ts";

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

// The builder's own type is any object; the linter says that it is a document.
const documentOf = (profile: Profile): OpenApi => openApiOf(profile, schemas) as OpenApi;

describe("/openapi.json", () => {
  it("is served to anyone, and so is /asyncapi.json", async () => {
    const { call } = await openService();
    for (const [name, document] of [
      ["openapi", openApiOf(profiles.standard, schemas)],
      ["asyncapi", asyncApiOf(profiles.standard, schemas)],
    ] as const) {
      const { status, body, headers } = await call("GET", `/${name}.json`, { token: null });
      expect([status, headers["content-type"]]).toEqual([200, "application/json"]);
      expect(body).toEqual(JSON.parse(JSON.stringify(document)));
    }
  });

  for (const [index, [name, profile]] of all.entries())
    it.each(["writer", "reader"] as const)(
      `has schemas of profile ${name} for a %s that compile in Ajv with its defaults, and so has /asyncapi.json`,
      { tags: ciAfter(1, index) },
      (side) => {
        for (const document of [
          openApiOf(profile, schemas, side),
          asyncApiOf(profile, schemas, side),
        ]) {
          const { components } = document as Pick<OpenApi, "components">;
          const ajv = new Ajv2020({ formats: { "date-time": true, uri: true }, logger: false });
          const text = JSON.stringify(components.schemas).replaceAll("#/components/schemas/", "");
          for (const [title, schema] of Object.entries(JSON.parse(text) as object))
            ajv.addSchema({ ...(schema as object), $id: title });
          for (const title of Object.keys(components.schemas))
            expect(() => ajv.getSchema(title)).not.toThrow();
        }
      },
    );

  it("has exactly the paths and methods that the service routes", async () => {
    for (const [, profile] of all) {
      const { call } = await openService({ profile });
      const described = Object.entries(documentOf(profile).paths);
      expect(described.length).toBe(6);
      for (const [path, methods] of described) {
        const real = path.replaceAll(/\{\w+\}/g, "x");
        const { status, headers } = await call("TRACE", real, { token: null });
        const allowed = String(headers["allow"]).toLowerCase().replace("get, head", "get");
        expect([path, status, allowed]).toEqual([path, 405, Object.keys(methods).join(", ")]);
      }
    }
  });

  it("describes the choices of the profile", () => {
    const { paths, webhooks } = documentOf(other);
    expect(Object.keys(paths)).toContain("/oauth/token");
    const unsubscribe = paths["/v1/webhook/unsubscribe/{subscriptionId}"]?.["put"];
    expect(unsubscribe?.parameters).toMatchObject([{ name: "subscriptionId", in: "path" }]);
    const refund = paths["/v1/refunds"]?.["post"];
    expect(Object.keys(refund?.responses ?? {})).toContain("202");
    expect(refund?.responses["400"]?.content).toHaveProperty("application/json");
    expect(Object.keys(webhooks["dispute.opened"]?.post.responses ?? {})).toEqual(["200", "410"]);
    const { webhooks: signed } = documentOf(profiles["x-signature"]);
    const names = signed["payment.created"]?.post.parameters?.map(({ name }) => name);
    expect(names).toEqual(["X-Signature-UniqueId", "X-Signature-Timestamp", "X-Signature"]);
  });
});

describe("its section webhooks", () => {
  it.each(all)(
    "describes each event that the service writes under the profile %s",
    async (_, profile) => {
      const open = await openService({ profile });
      const { scopes } = profile.token;
      const merchant = await open.addMerchant(Object.values(scopes));
      await everything({ ...open, merchant });
      const events = await eventsOf(open);
      const document = documentOf(profile);
      const validators = new Map<string, ValidateFunction>();
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      ajv.addSchema({ $id: "doc", ...document });
      for (const type of Object.keys(document.webhooks)) {
        const at = `doc#/webhooks/${type}/post/requestBody/content/application~1json/schema`;
        validators.set(type, ajv.compile({ $ref: at }));
      }
      for (const { type, payload } of events) {
        const validate = validators.get(type);
        const event = JSON.parse(payload) as object;
        expect([type, validate?.(event), validate?.errors]).toEqual([type, true, null]);
        // The schemas are closed: a member too many is noticed.
        expect(validate?.({ ...event, canary: 1 })).toBe(false);
      }
      const kinds = sendingProviderOf(profile).catalogue.filter(({ kind }) => kind !== undefined);
      const expected = new Set(kinds.map(({ type }) => type));
      expect(new Set(events.map(({ type }) => type))).toEqual(expected);
    },
  );
});
