// Generated from schemas/ by `pnpm generate`. Do not edit.
import { freeze } from "../freeze.ts";
import type { Profile } from "./types.ts";

export type { Profile } from "./types.ts";

/** The built-in profiles, frozen. */
export const profiles: { readonly "standard": Profile; readonly "x-signature": Profile } = freeze({
  "standard": {
    "name": "standard",
    "signature": {
      "scheme": "standard-webhooks",
      "toleranceSeconds": 300
    },
    "envelope": {
      "id": "/id",
      "type": "/type",
      "category": "/category",
      "timestamp": "/timestamp",
      "data": "/data"
    },
    "catalogue": [
      {
        "kind": "payment.created",
        "type": "payment.created",
        "category": "PAYMENT",
        "resource": "/data/paymentId",
        "rank": 0
      },
      {
        "kind": "payment.authorized",
        "type": "payment.authorized",
        "category": "PAYMENT",
        "resource": "/data/paymentId",
        "rank": 1
      },
      {
        "kind": "payment.succeeded",
        "type": "payment.succeeded",
        "category": "PAYMENT",
        "resource": "/data/paymentId",
        "rank": 2
      },
      {
        "kind": "payment.failed",
        "type": "payment.failed",
        "category": "PAYMENT",
        "resource": "/data/paymentId",
        "rank": 3
      },
      {
        "kind": "payment.canceled",
        "type": "payment.canceled",
        "category": "PAYMENT",
        "resource": "/data/paymentId",
        "rank": 3
      },
      {
        "kind": "refund.pending",
        "type": "refund.pending",
        "category": "PAYMENT",
        "resource": "/data/paymentId",
        "rank": 0
      },
      {
        "kind": "refund.authorized",
        "type": "refund.authorized",
        "category": "PAYMENT",
        "resource": "/data/paymentId",
        "rank": 1
      },
      {
        "kind": "refund.failed",
        "type": "refund.failed",
        "category": "PAYMENT",
        "resource": "/data/paymentId",
        "rank": 2
      },
      {
        "kind": "customer.created",
        "type": "customer.created",
        "category": "CUSTOMER",
        "resource": "/data/id",
        "rank": 0
      },
      {
        "kind": "customer.activated",
        "type": "customer.activated",
        "category": "CUSTOMER",
        "resource": "/data/id"
      },
      {
        "kind": "customer.deactivated",
        "type": "customer.deactivated",
        "category": "CUSTOMER",
        "resource": "/data/id"
      },
      {
        "kind": "account.linked",
        "type": "account.linked",
        "category": "ACCOUNT",
        "resource": "/data/customerId"
      },
      {
        "kind": "account.updated",
        "type": "account.updated",
        "category": "ACCOUNT",
        "resource": "/data/customerId"
      },
      {
        "kind": "account.deactivated",
        "type": "account.deactivated",
        "category": "ACCOUNT",
        "resource": "/data/customerId"
      }
    ],
    "delivery": {
      "scheduleSeconds": [
        0,
        5,
        300,
        1800,
        7200,
        18000,
        36000,
        50400,
        72000,
        86400
      ],
      "jitter": 0.1,
      "timeoutMs": 15000,
      "success": "2xx",
      "goneStatus": 410,
      "retryAfterFactor": 2,
      "pause": {
        "failures": 400,
        "hours": 24
      }
    },
    "statuses": {
      "refundCreated": 201,
      "subscribed": 200,
      "duplicateKey": 409,
      "business": 422,
      "forbidden": 403,
      "errorBody": "problem"
    },
    "payments": true,
    "refund": {
      "duplicate": "reject-with-existing",
      "responsePaymentId": "refund",
      "clientReferenceIdWhenAbsent": "null",
      "softDescriptor": "alphanumeric"
    },
    "amount": {
      "minimumCents": 1,
      "maximumCents": 9999999999
    },
    "hold": {
      "businessDays": 3,
      "timeZone": "America/New_York",
      "cutoff": "00:00",
      "closed": [],
      "open": []
    },
    "subscription": {
      "idIn": "body",
      "maxPerMerchant": 10
    },
    "token": {
      "path": "/v1/tokens",
      "lifetimeSeconds": 3600,
      "scopes": {
        "payments": "payments",
        "core": "core"
      }
    },
    "account": {
      "types": [
        "checking",
        "savings"
      ],
      "statuses": [
        "CREATED",
        "ACTIVE",
        "INACTIVE"
      ]
    },
    "customer": {
      "transitions": [
        {
          "from": "CREATED",
          "to": "ACTIVE"
        },
        {
          "from": "ACTIVE",
          "to": "INACTIVE"
        },
        {
          "from": "INACTIVE",
          "to": "ACTIVE"
        },
        {
          "from": "CREATED",
          "to": "INACTIVE"
        }
      ]
    },
    "rateLimit": {
      "refundsPerSecond": 20,
      "tokensPerMinute": 10,
      "othersPerSecond": 100
    },
    "limits": {
      "bodyBytes": 65536,
      "depth": 16,
      "identifier": 64,
      "key": 255,
      "url": 2048,
      "softDescriptor": 80,
      "secretKey": {
        "minimum": 24,
        "maximum": 256
      }
    },
    "deprecation": {
      "additive": "allowed"
    },
    "evidence": {
      "/signature": "public practice",
      "/envelope": "public practice",
      "/catalogue": "assumed",
      "/delivery": "public practice",
      "/statuses": "public practice",
      "/refund/duplicate": "assumed",
      "/refund/responsePaymentId": "assumed",
      "/refund/clientReferenceIdWhenAbsent": "assumed",
      "/refund/softDescriptor": "specified",
      "/amount": "specified",
      "/hold": "specified",
      "/subscription": "assumed",
      "/token": "public practice",
      "/account": "public practice",
      "/customer": "assumed",
      "/rateLimit": "assumed",
      "/limits": "assumed",
      "/deprecation": "public practice"
    }
  },
  "x-signature": {
    "name": "x-signature",
    "signature": {
      "scheme": "hmac",
      "toleranceSeconds": 300,
      "description": {
        "name": "x-signature",
        "algorithm": "sha512",
        "encoding": "base64",
        "headers": {
          "signature": "X-Signature",
          "timestamp": "X-Signature-Timestamp",
          "id": "X-Signature-UniqueId"
        },
        "form": {
          "kind": "single",
          "prefix": ""
        },
        "signed": [
          "id",
          "timestamp",
          "body"
        ],
        "separator": "."
      }
    },
    "envelope": {
      "id": "/id",
      "type": "/eventType",
      "timestamp": "/creationTime",
      "data": "/metadata"
    },
    "catalogue": [
      {
        "kind": "payment.created",
        "type": "payment.created",
        "category": "PAYMENT",
        "resource": "/metadata/resourceId",
        "rank": 0
      },
      {
        "kind": "payment.authorized",
        "type": "payment.authorized",
        "category": "PAYMENT",
        "resource": "/metadata/resourceId",
        "rank": 1
      },
      {
        "kind": "payment.succeeded",
        "type": "payment.succeeded",
        "category": "PAYMENT",
        "resource": "/metadata/resourceId",
        "rank": 2
      },
      {
        "kind": "payment.failed",
        "type": "payment.failed",
        "category": "PAYMENT",
        "resource": "/metadata/resourceId",
        "rank": 3
      },
      {
        "kind": "payment.canceled",
        "type": "payment.canceled",
        "category": "PAYMENT",
        "resource": "/metadata/resourceId",
        "rank": 3
      },
      {
        "kind": "refund.pending",
        "type": "payment.pending",
        "category": "PAYMENT",
        "resource": "/metadata/resourceId",
        "rank": 0
      },
      {
        "kind": "refund.authorized",
        "type": "payment.authorized",
        "category": "PAYMENT",
        "resource": "/metadata/resourceId",
        "rank": 1
      },
      {
        "kind": "refund.failed",
        "type": "payment.failed",
        "category": "PAYMENT",
        "resource": "/metadata/resourceId",
        "rank": 2
      },
      {
        "kind": "customer.created",
        "type": "customer.created",
        "category": "CUSTOMER",
        "resource": "/metadata/resourceId"
      },
      {
        "kind": "customer.activated",
        "type": "customer.activated",
        "category": "CUSTOMER",
        "resource": "/metadata/resourceId"
      },
      {
        "kind": "customer.deactivated",
        "type": "customer.deactivated",
        "category": "CUSTOMER",
        "resource": "/metadata/resourceId"
      },
      {
        "kind": "account.linked",
        "type": "customer.account.linked",
        "category": "ACCOUNT",
        "resource": "/metadata/resourceId"
      },
      {
        "kind": "account.deactivated",
        "type": "customer.account.deactivated",
        "category": "ACCOUNT",
        "resource": "/metadata/resourceId"
      }
    ],
    "delivery": {
      "scheduleSeconds": [
        0,
        5,
        300,
        1800,
        7200,
        18000,
        36000,
        50400,
        72000,
        86400
      ],
      "jitter": 0.1,
      "timeoutMs": 15000,
      "success": "2xx",
      "goneStatus": 410,
      "retryAfterFactor": 2,
      "pause": {
        "failures": 400,
        "hours": 24
      }
    },
    "statuses": {
      "refundCreated": 201,
      "subscribed": 200,
      "duplicateKey": 400,
      "business": 400,
      "forbidden": 401,
      "errorBody": "flat"
    },
    "payments": true,
    "refund": {
      "duplicate": "reject-with-existing",
      "responsePaymentId": "refund",
      "clientReferenceIdWhenAbsent": "omit",
      "softDescriptor": "printable-ascii"
    },
    "amount": {
      "minimumCents": 1,
      "maximumCents": 9999999999
    },
    "hold": {
      "businessDays": 3,
      "timeZone": "America/New_York",
      "cutoff": "00:00",
      "closed": [],
      "open": []
    },
    "subscription": {
      "idIn": "body",
      "maxPerMerchant": 10
    },
    "token": {
      "path": "/v1/tokens",
      "lifetimeSeconds": 3600,
      "scopes": {
        "payments": "payments",
        "core": "core"
      }
    },
    "account": {
      "types": [
        "checking",
        "savings"
      ],
      "statuses": [
        "CREATED",
        "ACTIVE",
        "INACTIVE"
      ]
    },
    "customer": {
      "transitions": [
        {
          "from": "CREATED",
          "to": "ACTIVE"
        },
        {
          "from": "ACTIVE",
          "to": "INACTIVE"
        },
        {
          "from": "INACTIVE",
          "to": "ACTIVE"
        },
        {
          "from": "CREATED",
          "to": "INACTIVE"
        }
      ]
    },
    "rateLimit": {
      "refundsPerSecond": 20,
      "tokensPerMinute": 10,
      "othersPerSecond": 100
    },
    "limits": {
      "bodyBytes": 65536,
      "depth": 16,
      "identifier": 64,
      "key": 255,
      "url": 2048,
      "softDescriptor": 80,
      "secretKey": {
        "minimum": 24,
        "maximum": 256
      }
    },
    "deprecation": {
      "additive": "allowed"
    },
    "evidence": {
      "/signature": "public practice",
      "/envelope": "public practice",
      "/catalogue": "public practice",
      "/delivery": "public practice",
      "/statuses": "assumed",
      "/refund/duplicate": "assumed",
      "/refund/responsePaymentId": "assumed",
      "/refund/clientReferenceIdWhenAbsent": "assumed",
      "/refund/softDescriptor": "assumed",
      "/amount": "specified",
      "/hold": "specified",
      "/subscription": "assumed",
      "/token": "public practice",
      "/account": "public practice",
      "/customer": "assumed",
      "/rateLimit": "assumed",
      "/limits": "assumed",
      "/deprecation": "public practice"
    }
  },
});
