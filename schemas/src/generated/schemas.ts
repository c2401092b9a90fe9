// Generated from schemas/ by `pnpm generate`. Do not edit.
import type { JudgedSchema } from "../judge.ts";

export const Identifier: JudgedSchema = {
  "type": "string",
  "minLength": 1,
  "maxLength": 64,
  "pattern": "^[A-Za-z0-9_-]+$",
  "examples": [
    "pay_01J9ZC5W3N",
    "42",
    "b7f0f0a2-8f5e-4f5d-9f10-2d4c1f0a7b11"
  ]
};
export const Timestamp: JudgedSchema = {
  "type": "string",
  "format": "date-time",
  "minLength": 24,
  "maxLength": 24,
  "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$",
  "examples": [
    "2026-11-21T09:30:00.000Z",
    "2028-02-29T23:59:59.999Z"
  ]
};
export const EventEnvelope: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "type",
    "category",
    "timestamp",
    "data"
  ],
  "properties": {
    "id": Identifier,
    "type": {
      "type": "string",
      "minLength": 1,
      "maxLength": 128,
      "pattern": "^[A-Za-z0-9_.-]+$"
    },
    "category": {
      "type": "string",
      "openEnum": [
        "ACCOUNT",
        "CUSTOMER",
        "PAYMENT"
      ]
    },
    "timestamp": Timestamp,
    "data": {
      "type": "object",
      "additionalProperties": true
    }
  },
  "examples": [
    {
      "id": "evt_01J9ZG0006",
      "type": "refund.authorized",
      "category": "PAYMENT",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {
        "paymentId": "ref_01J9ZD1QX4",
        "paymentStatus": "AUTHORIZED",
        "clientReferenceId": "order-1042"
      }
    },
    {
      "id": "evt_01J9ZG0006",
      "type": "report.ready",
      "category": "PAYMENT",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {}
    }
  ]
};
export const AccountDetails: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "financialInstitutionName",
    "accountLastFourDigits",
    "accountType",
    "accountStatus",
    "preferred",
    "creationDate"
  ],
  "properties": {
    "financialInstitutionName": {
      "type": "string",
      "minLength": 1,
      "maxLength": 255
    },
    "accountLastFourDigits": {
      "type": "string",
      "minLength": 4,
      "maxLength": 4,
      "pattern": "^[0-9]+$"
    },
    "accountType": {
      "type": "string",
      "openEnum": [
        "checking",
        "savings"
      ]
    },
    "accountStatus": {
      "type": "string",
      "openEnum": [
        "CREATED",
        "ACTIVE",
        "INACTIVE"
      ]
    },
    "preferred": {
      "type": "boolean"
    },
    "creationDate": Timestamp
  },
  "examples": [
    {
      "financialInstitutionName": "First Example Bank",
      "accountLastFourDigits": "0042",
      "accountType": "checking",
      "accountStatus": "ACTIVE",
      "preferred": true,
      "creationDate": "2026-11-20T16:04:05.120Z"
    },
    {
      "financialInstitutionName": "First Example Bank",
      "accountLastFourDigits": "0042",
      "accountType": "savings",
      "accountStatus": "ACTIVE",
      "preferred": false,
      "creationDate": "2026-11-20T16:04:05.120Z"
    }
  ]
};
export const Amount: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "currency",
    "value"
  ],
  "properties": {
    "currency": {
      "type": "string",
      "const": "USD"
    },
    "value": {
      "type": "number",
      "minimum": 0.01,
      "maximum": 99999999.99,
      "multipleOf": 0.01
    }
  },
  "examples": [
    {
      "currency": "USD",
      "value": 10.5
    },
    {
      "currency": "USD",
      "value": 0.01
    },
    {
      "currency": "USD",
      "value": 99999999.99
    }
  ]
};
export const Customer: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "firstName",
    "lastName",
    "email",
    "customerStatus",
    "creationDate"
  ],
  "properties": {
    "id": Identifier,
    "firstName": {
      "type": "string",
      "maxLength": 255
    },
    "lastName": {
      "type": "string",
      "maxLength": 255
    },
    "email": {
      "type": "string",
      "minLength": 3,
      "maxLength": 254,
      "pattern": "^[^@\\s]+@[^@\\s]+$"
    },
    "customerStatus": {
      "type": "string",
      "enum": [
        "CREATED",
        "ACTIVE",
        "INACTIVE"
      ]
    },
    "accountDetails": AccountDetails,
    "creationDate": Timestamp
  },
  "examples": [
    {
      "id": "cus_01J9ZB7M2K",
      "firstName": "Ada",
      "lastName": "Osei",
      "email": "ada.osei@example.com",
      "customerStatus": "ACTIVE",
      "accountDetails": {
        "financialInstitutionName": "First Example Bank",
        "accountLastFourDigits": "0042",
        "accountType": "checking",
        "accountStatus": "ACTIVE",
        "preferred": true,
        "creationDate": "2026-11-20T16:04:05.120Z"
      },
      "creationDate": "2026-11-20T16:00:00.000Z"
    },
    {
      "id": "cus_01J9ZB7M2K",
      "firstName": "Ada",
      "lastName": "Osei",
      "email": "ada.osei@example.com",
      "customerStatus": "CREATED",
      "creationDate": "2026-11-20T16:00:00.000Z"
    }
  ]
};
export const ErrorCode: JudgedSchema = {
  "type": "string",
  "examples": [
    "CUSTOMER_NOT_DEBITED",
    "DUPLICATE_REQUEST_KEY"
  ],
  "openEnum": [
    "CUSTOMER_NOT_DEBITED",
    "REFUND_RETURNED",
    "DUPLICATE_REQUEST_KEY",
    "REFUND_AMOUNT_EXCEEDS_REMAINING",
    "PAYMENT_ALREADY_REFUNDED",
    "PAYMENT_NOT_REFUNDABLE",
    "PAYMENT_NOT_FOUND",
    "CUSTOMER_NOT_FOUND",
    "SUBSCRIPTION_NOT_FOUND",
    "SUBSCRIPTION_CLOSED",
    "SUBSCRIPTION_LIMIT_REACHED",
    "INVALID_REQUEST",
    "INVALID_AMOUNT",
    "UNSUPPORTED_CURRENCY",
    "INVALID_SOFT_DESCRIPTOR",
    "INVALID_SUBSCRIPTION_DETAILS",
    "UNKNOWN_EVENT",
    "INVALID_URL",
    "WEAK_SECRET",
    "UNAUTHENTICATED",
    "INSUFFICIENT_SCOPE",
    "NOT_FOUND",
    "METHOD_NOT_ALLOWED",
    "NOT_ACCEPTABLE",
    "PAYLOAD_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    "RATE_LIMITED",
    "INTERNAL_SERVER_ERROR",
    "SERVICE_UNAVAILABLE"
  ]
};
export const ErrorDetails: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "errorCode",
    "errorMessage"
  ],
  "properties": {
    "errorCode": ErrorCode,
    "errorMessage": {
      "type": "string",
      "minLength": 1,
      "maxLength": 1024
    }
  },
  "examples": [
    {
      "errorCode": "CUSTOMER_NOT_DEBITED",
      "errorMessage": "The original debit was not successful."
    }
  ]
};
export const FlatError: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "errorId",
    "errorCode",
    "errorMessage"
  ],
  "properties": {
    "errorId": Identifier,
    "errorCode": ErrorCode,
    "errorMessage": {
      "type": "string",
      "minLength": 1,
      "maxLength": 1024
    },
    "errorSeverity": {
      "type": "string",
      "openEnum": [
        "INFO",
        "WARNING",
        "ERROR",
        "FATAL"
      ]
    }
  },
  "examples": [
    {
      "errorId": "err_01J9ZF",
      "errorCode": "DUPLICATE_REQUEST_KEY",
      "errorMessage": "A payment record with this requestKey exists.",
      "errorSeverity": "ERROR"
    },
    {
      "errorId": "err_01J9ZF",
      "errorCode": "DUPLICATE_REQUEST_KEY",
      "errorMessage": "A payment record with this requestKey exists."
    }
  ]
};
export const LinkedAccount: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "customerId",
    "accountDetails"
  ],
  "properties": {
    "customerId": Identifier,
    "accountDetails": AccountDetails
  },
  "examples": [
    {
      "customerId": "cus_01J9ZB7M2K",
      "accountDetails": {
        "financialInstitutionName": "First Example Bank",
        "accountLastFourDigits": "0042",
        "accountType": "checking",
        "accountStatus": "ACTIVE",
        "preferred": true,
        "creationDate": "2026-11-20T16:04:05.120Z"
      }
    }
  ]
};
export const Payment: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "paymentId",
    "direction",
    "customerId",
    "amount",
    "paymentStatus",
    "clientReferenceId",
    "creationDate",
    "covered"
  ],
  "properties": {
    "paymentId": Identifier,
    "direction": {
      "type": "string",
      "enum": [
        "DEBIT",
        "CREDIT"
      ]
    },
    "originalPaymentId": Identifier,
    "customerId": Identifier,
    "amount": Amount,
    "paymentStatus": {
      "type": "string",
      "openEnum": [
        "CREATED",
        "PENDING",
        "AUTHORIZED",
        "SCHEDULED",
        "INITIATED",
        "SUCCEEDED",
        "RETRYABLE_FAILED",
        "TERMINAL_FAILED",
        "CANCELED"
      ]
    },
    "clientReferenceId": {
      "type": [
        "string",
        "null"
      ],
      "maxLength": 255
    },
    "creationDate": Timestamp,
    "settlementDate": Timestamp,
    "covered": {
      "type": "boolean"
    },
    "errorDetails": ErrorDetails
  },
  "examples": [
    {
      "paymentId": "pay_01J9ZC5W3N",
      "direction": "DEBIT",
      "customerId": "cus_01J9ZB7M2K",
      "amount": {
        "currency": "USD",
        "value": 25
      },
      "paymentStatus": "SUCCEEDED",
      "clientReferenceId": "order-1042",
      "creationDate": "2026-11-20T16:10:00.000Z",
      "settlementDate": "2026-11-21T05:00:00.000Z",
      "covered": false
    },
    {
      "paymentId": "ref_01J9ZD1QX4",
      "direction": "CREDIT",
      "originalPaymentId": "pay_01J9ZC5W3N",
      "customerId": "cus_01J9ZB7M2K",
      "amount": {
        "currency": "USD",
        "value": 10.5
      },
      "paymentStatus": "TERMINAL_FAILED",
      "clientReferenceId": null,
      "creationDate": "2026-11-21T09:30:00.000Z",
      "covered": false,
      "errorDetails": {
        "errorCode": "CUSTOMER_NOT_DEBITED",
        "errorMessage": "The original debit was not successful."
      }
    },
    {
      "paymentId": "pay_01J9ZC5W3N",
      "direction": "DEBIT",
      "customerId": "cus_01J9ZB7M2K",
      "amount": {
        "currency": "USD",
        "value": 25
      },
      "paymentStatus": "INITIATED",
      "clientReferenceId": "order-1042",
      "creationDate": "2026-11-20T16:10:00.000Z",
      "covered": false
    }
  ]
};
export const Problem: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "type",
    "title",
    "status",
    "errorDetails"
  ],
  "properties": {
    "type": {
      "type": "string",
      "minLength": 1,
      "maxLength": 2048,
      "pattern": "^[!-~]+$"
    },
    "title": {
      "type": "string",
      "minLength": 1,
      "maxLength": 255
    },
    "status": {
      "type": "integer",
      "minimum": 400,
      "maximum": 599
    },
    "detail": {
      "type": "string",
      "minLength": 1,
      "maxLength": 1024
    },
    "instance": {
      "type": "string",
      "minLength": 1,
      "maxLength": 2048,
      "pattern": "^[!-~]+$"
    },
    "requestId": Identifier,
    "errorDetails": ErrorDetails,
    "errors": {
      "type": "array",
      "minItems": 1,
      "maxItems": 100,
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "pointer",
          "code"
        ],
        "properties": {
          "pointer": {
            "type": "string",
            "maxLength": 2048
          },
          "code": {
            "type": "string",
            "minLength": 1,
            "maxLength": 64,
            "pattern": "^[A-Z][A-Z0-9_]*$"
          },
          "message": {
            "type": "string",
            "minLength": 1,
            "maxLength": 1024
          }
        }
      }
    },
    "existing": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "paymentId",
        "paymentStatus",
        "sameRequest"
      ],
      "properties": {
        "paymentId": Identifier,
        "paymentStatus": {
          "type": "string",
          "openEnum": [
            "PENDING",
            "AUTHORIZED",
            "TERMINAL_FAILED"
          ]
        },
        "sameRequest": {
          "type": "boolean"
        }
      }
    }
  },
  "examples": [
    {
      "type": "https://github.com/countersign/countersign/blob/main/docs/reference/codes.md#duplicate_request_key",
      "title": "requestKey already used",
      "status": 409,
      "errorDetails": {
        "errorCode": "DUPLICATE_REQUEST_KEY",
        "errorMessage": "A payment record with this requestKey exists."
      }
    },
    {
      "type": "https://github.com/countersign/countersign/blob/main/docs/reference/codes.md#duplicate_request_key",
      "title": "requestKey already used",
      "status": 409,
      "errorDetails": {
        "errorCode": "DUPLICATE_REQUEST_KEY",
        "errorMessage": "A payment record with this requestKey exists."
      },
      "existing": {
        "paymentId": "ref_01J9ZD1QX4",
        "paymentStatus": "PENDING",
        "sameRequest": true
      }
    },
    {
      "type": "https://github.com/countersign/countersign/blob/main/docs/reference/codes.md#invalid_request",
      "title": "The request is not valid",
      "status": 400,
      "requestId": "req_01J9ZF",
      "errorDetails": {
        "errorCode": "INVALID_REQUEST",
        "errorMessage": "The request is not valid."
      },
      "errors": [
        {
          "pointer": "/amount/value",
          "code": "INVALID_AMOUNT",
          "message": "has more than two digits after the separator"
        }
      ]
    }
  ]
};
export const RefundRequest: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "paymentId",
    "amount",
    "requestKey"
  ],
  "properties": {
    "paymentId": Identifier,
    "amount": Amount,
    "clientReferenceId": {
      "type": "string",
      "minLength": 1,
      "maxLength": 255,
      "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F]+$"
    },
    "clientRefefenceId": {
      "type": "string",
      "minLength": 1,
      "maxLength": 255,
      "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F]+$"
    },
    "softDescriptor": {
      "type": "string",
      "minLength": 1,
      "maxLength": 80,
      "pattern": "^[A-Za-z0-9 ]+$"
    },
    "requestKey": {
      "type": "string",
      "minLength": 1,
      "maxLength": 255,
      "pattern": "^[ -~]+$"
    }
  },
  "examples": [
    {
      "paymentId": "pay_01J9ZC5W3N",
      "amount": {
        "currency": "USD",
        "value": 10.5
      },
      "requestKey": "refund-2026-11-21-0001"
    },
    {
      "paymentId": "pay_01J9ZC5W3N",
      "amount": {
        "currency": "USD",
        "value": 10.5
      },
      "requestKey": "refund-2026-11-21-0001",
      "clientReferenceId": "order 1042 / Bücher",
      "softDescriptor": "Refund order 1042"
    },
    {
      "paymentId": "pay_01J9ZC5W3N",
      "amount": {
        "currency": "USD",
        "value": 10.5
      },
      "requestKey": "refund-2026-11-21-0001",
      "clientRefefenceId": "order-1042"
    }
  ]
};
export const Refund: JudgedSchema = {
  "type": "object",
  "discriminator": {
    "propertyName": "paymentStatus"
  },
  "oneOf": [
    {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "paymentId",
        "paymentStatus",
        "clientReferenceId"
      ],
      "properties": {
        "paymentId": Identifier,
        "paymentStatus": {
          "type": "string",
          "openEnum": [
            "PENDING",
            "AUTHORIZED"
          ]
        },
        "clientReferenceId": {
          "type": [
            "string",
            "null"
          ],
          "maxLength": 255
        }
      }
    },
    {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "paymentId",
        "paymentStatus",
        "clientReferenceId",
        "errorDetails"
      ],
      "properties": {
        "paymentId": Identifier,
        "paymentStatus": {
          "type": "string",
          "const": "TERMINAL_FAILED"
        },
        "clientReferenceId": {
          "type": [
            "string",
            "null"
          ],
          "maxLength": 255
        },
        "errorDetails": ErrorDetails
      }
    }
  ],
  "examples": [
    {
      "paymentId": "ref_01J9ZD1QX4",
      "paymentStatus": "PENDING",
      "clientReferenceId": "order-1042"
    },
    {
      "paymentId": "ref_01J9ZD1QX4",
      "paymentStatus": "AUTHORIZED",
      "clientReferenceId": "order-1042"
    },
    {
      "paymentId": "ref_01J9ZD1QX4",
      "paymentStatus": "TERMINAL_FAILED",
      "clientReferenceId": null,
      "errorDetails": {
        "errorCode": "CUSTOMER_NOT_DEBITED",
        "errorMessage": "The original debit was not successful."
      }
    }
  ]
};
export const SubscriptionDetails: JudgedSchema = {
  "type": "object",
  "discriminator": {
    "propertyName": "type"
  },
  "oneOf": [
    {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "type",
        "details"
      ],
      "properties": {
        "type": {
          "type": "string",
          "const": "EVENT"
        },
        "details": {
          "type": "array",
          "maxItems": 100,
          "items": {
            "type": "string",
            "minLength": 1,
            "maxLength": 128
          },
          "minItems": 1
        }
      }
    },
    {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "type",
        "details"
      ],
      "properties": {
        "type": {
          "type": "string",
          "const": "CATEGORY"
        },
        "details": {
          "type": "array",
          "maxItems": 100,
          "items": {
            "type": "string",
            "minLength": 1,
            "maxLength": 64,
            "pattern": "^[A-Z][A-Z0-9_]*$"
          },
          "minItems": 1
        }
      }
    },
    {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "type"
      ],
      "properties": {
        "type": {
          "type": "string",
          "const": "ALL"
        },
        "details": {
          "type": "array",
          "maxItems": 100,
          "items": {
            "type": "string",
            "maxLength": 128
          }
        }
      }
    }
  ],
  "examples": [
    {
      "type": "EVENT",
      "details": [
        "refund.authorized",
        "refund.failed"
      ]
    },
    {
      "type": "CATEGORY",
      "details": [
        "PAYMENT"
      ]
    },
    {
      "type": "ALL"
    },
    {
      "type": "ALL",
      "details": []
    }
  ]
};
export const SubscribeRequest: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "url",
    "secretKey",
    "subscriptionDetails"
  ],
  "properties": {
    "url": {
      "type": "string",
      "format": "uri",
      "minLength": 8,
      "maxLength": 2048,
      "pattern": "^https?://[A-Za-z0-9.:_\\[\\]-]+([/?][!-\"$-\\[\\]-~]*)?$"
    },
    "secretKey": {
      "type": "string",
      "minLength": 24,
      "maxLength": 256,
      "pattern": "^[!-~]+$"
    },
    "subscriptionDetails": SubscriptionDetails
  },
  "examples": [
    {
      "url": "https://merchant.example/webhooks",
      "secretKey": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      "subscriptionDetails": {
        "type": "CATEGORY",
        "details": [
          "PAYMENT"
        ]
      }
    },
    {
      "url": "http://127.0.0.1:4020/hooks?tenant=7",
      "secretKey": "correct-horse-battery-staple",
      "subscriptionDetails": {
        "type": "ALL"
      }
    }
  ]
};
export const SubscribeResponse: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "subscriptionKey"
  ],
  "properties": {
    "subscriptionKey": {
      "type": "string",
      "minLength": 1,
      "maxLength": 64
    }
  },
  "examples": [
    {
      "subscriptionKey": "sub_01J9ZE9T7P"
    }
  ]
};
export const TokenError: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "error"
  ],
  "properties": {
    "error": {
      "type": "string",
      "openEnum": [
        "invalid_request",
        "invalid_client",
        "invalid_grant",
        "unauthorized_client",
        "unsupported_grant_type",
        "invalid_scope"
      ]
    },
    "error_description": {
      "type": "string",
      "maxLength": 1024,
      "pattern": "^[ -~]*$"
    }
  },
  "examples": [
    {
      "error": "invalid_client"
    },
    {
      "error": "invalid_client",
      "error_description": "unknown client"
    }
  ]
};
export const TokenRequest: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "grant_type"
  ],
  "properties": {
    "grant_type": {
      "type": "string",
      "const": "client_credentials"
    },
    "scope": {
      "type": "string",
      "minLength": 1,
      "maxLength": 255,
      "pattern": "^[!#-\\[\\]-~]+( [!#-\\[\\]-~]+)*$"
    },
    "client_id": {
      "type": "string",
      "minLength": 1,
      "maxLength": 255,
      "pattern": "^[ -~]+$"
    },
    "client_secret": {
      "type": "string",
      "minLength": 1,
      "maxLength": 255,
      "pattern": "^[ -~]+$"
    }
  },
  "examples": [
    {
      "grant_type": "client_credentials"
    },
    {
      "grant_type": "client_credentials",
      "scope": "payments core"
    },
    {
      "grant_type": "client_credentials",
      "client_id": "merchant-7",
      "client_secret": "not-a-real-secret"
    }
  ]
};
export const TokenResponse: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "access_token",
    "token_type",
    "expires_in",
    "scope"
  ],
  "properties": {
    "access_token": {
      "type": "string",
      "minLength": 1,
      "maxLength": 4096,
      "pattern": "^[A-Za-z0-9._~+/-]+=*$"
    },
    "token_type": {
      "type": "string",
      "const": "Bearer"
    },
    "expires_in": {
      "type": "integer",
      "minimum": 1,
      "maximum": 31536000
    },
    "scope": {
      "type": "string",
      "maxLength": 255
    }
  },
  "examples": [
    {
      "access_token": "9aKc0Zr5uWf3q1bT7mXv",
      "token_type": "Bearer",
      "expires_in": 3600,
      "scope": "payments core"
    }
  ]
};
export const UnsubscribeRequest: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "subscriptionId",
    "subscriptionDetails"
  ],
  "properties": {
    "subscriptionId": {
      "type": "string",
      "minLength": 1,
      "maxLength": 64
    },
    "subscriptionDetails": SubscriptionDetails
  },
  "examples": [
    {
      "subscriptionId": "sub_01J9ZE9T7P",
      "subscriptionDetails": {
        "type": "EVENT",
        "details": [
          "refund.authorized",
          "refund.failed"
        ]
      }
    },
    {
      "subscriptionId": "sub_01J9ZE9T7P",
      "subscriptionDetails": {
        "type": "ALL"
      }
    }
  ]
};
export const UnsubscribeResponse: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "subscriptionKey"
  ],
  "properties": {
    "subscriptionKey": {
      "type": "string",
      "minLength": 1,
      "maxLength": 64
    }
  },
  "examples": [
    {
      "subscriptionKey": "sub_01J9ZE9T7P"
    }
  ]
};
export const PaymentCreatedEvent: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "type",
    "category",
    "timestamp",
    "data"
  ],
  "properties": {
    "id": Identifier,
    "type": {
      "type": "string",
      "const": "payment.created"
    },
    "category": {
      "type": "string",
      "const": "PAYMENT"
    },
    "timestamp": Timestamp,
    "data": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "paymentId",
        "direction",
        "customerId",
        "amount",
        "paymentStatus",
        "clientReferenceId",
        "creationDate",
        "covered"
      ],
      "properties": {
        "paymentId": Identifier,
        "direction": {
          "type": "string",
          "enum": [
            "DEBIT",
            "CREDIT"
          ]
        },
        "originalPaymentId": Identifier,
        "customerId": Identifier,
        "amount": Amount,
        "paymentStatus": {
          "type": "string",
          "const": "CREATED"
        },
        "clientReferenceId": {
          "type": [
            "string",
            "null"
          ],
          "maxLength": 255
        },
        "creationDate": Timestamp,
        "settlementDate": Timestamp,
        "covered": {
          "type": "boolean"
        },
        "errorDetails": ErrorDetails
      }
    }
  },
  "examples": [
    {
      "id": "evt_01J9ZG0000",
      "type": "payment.created",
      "category": "PAYMENT",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {
        "paymentId": "pay_01J9ZC5W3N",
        "direction": "DEBIT",
        "customerId": "cus_01J9ZB7M2K",
        "amount": {
          "currency": "USD",
          "value": 25
        },
        "paymentStatus": "CREATED",
        "clientReferenceId": "order-1042",
        "creationDate": "2026-11-20T16:10:00.000Z",
        "covered": false
      }
    }
  ]
};
export const PaymentAuthorizedEvent: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "type",
    "category",
    "timestamp",
    "data"
  ],
  "properties": {
    "id": Identifier,
    "type": {
      "type": "string",
      "const": "payment.authorized"
    },
    "category": {
      "type": "string",
      "const": "PAYMENT"
    },
    "timestamp": Timestamp,
    "data": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "paymentId",
        "direction",
        "customerId",
        "amount",
        "paymentStatus",
        "clientReferenceId",
        "creationDate",
        "covered"
      ],
      "properties": {
        "paymentId": Identifier,
        "direction": {
          "type": "string",
          "enum": [
            "DEBIT",
            "CREDIT"
          ]
        },
        "originalPaymentId": Identifier,
        "customerId": Identifier,
        "amount": Amount,
        "paymentStatus": {
          "type": "string",
          "const": "AUTHORIZED"
        },
        "clientReferenceId": {
          "type": [
            "string",
            "null"
          ],
          "maxLength": 255
        },
        "creationDate": Timestamp,
        "settlementDate": Timestamp,
        "covered": {
          "type": "boolean"
        },
        "errorDetails": ErrorDetails
      }
    }
  },
  "examples": [
    {
      "id": "evt_01J9ZG0001",
      "type": "payment.authorized",
      "category": "PAYMENT",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {
        "paymentId": "pay_01J9ZC5W3N",
        "direction": "DEBIT",
        "customerId": "cus_01J9ZB7M2K",
        "amount": {
          "currency": "USD",
          "value": 25
        },
        "paymentStatus": "AUTHORIZED",
        "clientReferenceId": "order-1042",
        "creationDate": "2026-11-20T16:10:00.000Z",
        "covered": false
      }
    }
  ]
};
export const PaymentSucceededEvent: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "type",
    "category",
    "timestamp",
    "data"
  ],
  "properties": {
    "id": Identifier,
    "type": {
      "type": "string",
      "const": "payment.succeeded"
    },
    "category": {
      "type": "string",
      "const": "PAYMENT"
    },
    "timestamp": Timestamp,
    "data": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "paymentId",
        "direction",
        "customerId",
        "amount",
        "paymentStatus",
        "clientReferenceId",
        "creationDate",
        "covered"
      ],
      "properties": {
        "paymentId": Identifier,
        "direction": {
          "type": "string",
          "enum": [
            "DEBIT",
            "CREDIT"
          ]
        },
        "originalPaymentId": Identifier,
        "customerId": Identifier,
        "amount": Amount,
        "paymentStatus": {
          "type": "string",
          "const": "SUCCEEDED"
        },
        "clientReferenceId": {
          "type": [
            "string",
            "null"
          ],
          "maxLength": 255
        },
        "creationDate": Timestamp,
        "settlementDate": Timestamp,
        "covered": {
          "type": "boolean"
        },
        "errorDetails": ErrorDetails
      }
    }
  },
  "examples": [
    {
      "id": "evt_01J9ZG0002",
      "type": "payment.succeeded",
      "category": "PAYMENT",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {
        "paymentId": "pay_01J9ZC5W3N",
        "direction": "DEBIT",
        "customerId": "cus_01J9ZB7M2K",
        "amount": {
          "currency": "USD",
          "value": 25
        },
        "paymentStatus": "SUCCEEDED",
        "clientReferenceId": "order-1042",
        "creationDate": "2026-11-20T16:10:00.000Z",
        "settlementDate": "2026-11-21T05:00:00.000Z",
        "covered": false
      }
    }
  ]
};
export const PaymentFailedEvent: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "type",
    "category",
    "timestamp",
    "data"
  ],
  "properties": {
    "id": Identifier,
    "type": {
      "type": "string",
      "const": "payment.failed"
    },
    "category": {
      "type": "string",
      "const": "PAYMENT"
    },
    "timestamp": Timestamp,
    "data": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "paymentId",
        "direction",
        "customerId",
        "amount",
        "paymentStatus",
        "clientReferenceId",
        "creationDate",
        "covered"
      ],
      "properties": {
        "paymentId": Identifier,
        "direction": {
          "type": "string",
          "enum": [
            "DEBIT",
            "CREDIT"
          ]
        },
        "originalPaymentId": Identifier,
        "customerId": Identifier,
        "amount": Amount,
        "paymentStatus": {
          "type": "string",
          "const": "TERMINAL_FAILED"
        },
        "clientReferenceId": {
          "type": [
            "string",
            "null"
          ],
          "maxLength": 255
        },
        "creationDate": Timestamp,
        "settlementDate": Timestamp,
        "covered": {
          "type": "boolean"
        },
        "errorDetails": ErrorDetails
      }
    }
  },
  "examples": [
    {
      "id": "evt_01J9ZG0003",
      "type": "payment.failed",
      "category": "PAYMENT",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {
        "paymentId": "pay_01J9ZC5W3N",
        "direction": "DEBIT",
        "customerId": "cus_01J9ZB7M2K",
        "amount": {
          "currency": "USD",
          "value": 25
        },
        "paymentStatus": "TERMINAL_FAILED",
        "clientReferenceId": "order-1042",
        "creationDate": "2026-11-20T16:10:00.000Z",
        "covered": false,
        "errorDetails": {
          "errorCode": "CUSTOMER_NOT_DEBITED",
          "errorMessage": "The original debit was not successful."
        }
      }
    }
  ]
};
export const PaymentCanceledEvent: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "type",
    "category",
    "timestamp",
    "data"
  ],
  "properties": {
    "id": Identifier,
    "type": {
      "type": "string",
      "const": "payment.canceled"
    },
    "category": {
      "type": "string",
      "const": "PAYMENT"
    },
    "timestamp": Timestamp,
    "data": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "paymentId",
        "direction",
        "customerId",
        "amount",
        "paymentStatus",
        "clientReferenceId",
        "creationDate",
        "covered"
      ],
      "properties": {
        "paymentId": Identifier,
        "direction": {
          "type": "string",
          "enum": [
            "DEBIT",
            "CREDIT"
          ]
        },
        "originalPaymentId": Identifier,
        "customerId": Identifier,
        "amount": Amount,
        "paymentStatus": {
          "type": "string",
          "const": "CANCELED"
        },
        "clientReferenceId": {
          "type": [
            "string",
            "null"
          ],
          "maxLength": 255
        },
        "creationDate": Timestamp,
        "settlementDate": Timestamp,
        "covered": {
          "type": "boolean"
        },
        "errorDetails": ErrorDetails
      }
    }
  },
  "examples": [
    {
      "id": "evt_01J9ZG0004",
      "type": "payment.canceled",
      "category": "PAYMENT",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {
        "paymentId": "pay_01J9ZC5W3N",
        "direction": "DEBIT",
        "customerId": "cus_01J9ZB7M2K",
        "amount": {
          "currency": "USD",
          "value": 25
        },
        "paymentStatus": "CANCELED",
        "clientReferenceId": "order-1042",
        "creationDate": "2026-11-20T16:10:00.000Z",
        "covered": false
      }
    }
  ]
};
export const RefundPendingEvent: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "type",
    "category",
    "timestamp",
    "data"
  ],
  "properties": {
    "id": Identifier,
    "type": {
      "type": "string",
      "const": "refund.pending"
    },
    "category": {
      "type": "string",
      "const": "PAYMENT"
    },
    "timestamp": Timestamp,
    "data": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "paymentId",
        "paymentStatus",
        "clientReferenceId"
      ],
      "properties": {
        "paymentId": Identifier,
        "paymentStatus": {
          "type": "string",
          "const": "PENDING"
        },
        "clientReferenceId": {
          "type": [
            "string",
            "null"
          ],
          "maxLength": 255
        }
      }
    }
  },
  "examples": [
    {
      "id": "evt_01J9ZG0005",
      "type": "refund.pending",
      "category": "PAYMENT",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {
        "paymentId": "ref_01J9ZD1QX4",
        "paymentStatus": "PENDING",
        "clientReferenceId": "order-1042"
      }
    }
  ]
};
export const RefundAuthorizedEvent: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "type",
    "category",
    "timestamp",
    "data"
  ],
  "properties": {
    "id": Identifier,
    "type": {
      "type": "string",
      "const": "refund.authorized"
    },
    "category": {
      "type": "string",
      "const": "PAYMENT"
    },
    "timestamp": Timestamp,
    "data": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "paymentId",
        "paymentStatus",
        "clientReferenceId"
      ],
      "properties": {
        "paymentId": Identifier,
        "paymentStatus": {
          "type": "string",
          "const": "AUTHORIZED"
        },
        "clientReferenceId": {
          "type": [
            "string",
            "null"
          ],
          "maxLength": 255
        }
      }
    }
  },
  "examples": [
    {
      "id": "evt_01J9ZG0006",
      "type": "refund.authorized",
      "category": "PAYMENT",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {
        "paymentId": "ref_01J9ZD1QX4",
        "paymentStatus": "AUTHORIZED",
        "clientReferenceId": "order-1042"
      }
    }
  ]
};
export const RefundFailedEvent: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "type",
    "category",
    "timestamp",
    "data"
  ],
  "properties": {
    "id": Identifier,
    "type": {
      "type": "string",
      "const": "refund.failed"
    },
    "category": {
      "type": "string",
      "const": "PAYMENT"
    },
    "timestamp": Timestamp,
    "data": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "paymentId",
        "paymentStatus",
        "clientReferenceId",
        "errorDetails"
      ],
      "properties": {
        "paymentId": Identifier,
        "paymentStatus": {
          "type": "string",
          "const": "TERMINAL_FAILED"
        },
        "clientReferenceId": {
          "type": [
            "string",
            "null"
          ],
          "maxLength": 255
        },
        "errorDetails": ErrorDetails
      }
    }
  },
  "examples": [
    {
      "id": "evt_01J9ZG0007",
      "type": "refund.failed",
      "category": "PAYMENT",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {
        "paymentId": "ref_01J9ZD1QX4",
        "paymentStatus": "TERMINAL_FAILED",
        "clientReferenceId": null,
        "errorDetails": {
          "errorCode": "CUSTOMER_NOT_DEBITED",
          "errorMessage": "The original debit was not successful."
        }
      }
    }
  ]
};
export const CustomerCreatedEvent: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "type",
    "category",
    "timestamp",
    "data"
  ],
  "properties": {
    "id": Identifier,
    "type": {
      "type": "string",
      "const": "customer.created"
    },
    "category": {
      "type": "string",
      "const": "CUSTOMER"
    },
    "timestamp": Timestamp,
    "data": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "id",
        "firstName",
        "lastName",
        "email",
        "customerStatus",
        "creationDate"
      ],
      "properties": {
        "id": Identifier,
        "firstName": {
          "type": "string",
          "maxLength": 255
        },
        "lastName": {
          "type": "string",
          "maxLength": 255
        },
        "email": {
          "type": "string",
          "minLength": 3,
          "maxLength": 254,
          "pattern": "^[^@\\s]+@[^@\\s]+$"
        },
        "customerStatus": {
          "type": "string",
          "const": "CREATED"
        },
        "accountDetails": AccountDetails,
        "creationDate": Timestamp
      }
    }
  },
  "examples": [
    {
      "id": "evt_01J9ZG0008",
      "type": "customer.created",
      "category": "CUSTOMER",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {
        "id": "cus_01J9ZB7M2K",
        "firstName": "Ada",
        "lastName": "Osei",
        "email": "ada.osei@example.com",
        "customerStatus": "CREATED",
        "creationDate": "2026-11-20T16:00:00.000Z"
      }
    }
  ]
};
export const CustomerActivatedEvent: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "type",
    "category",
    "timestamp",
    "data"
  ],
  "properties": {
    "id": Identifier,
    "type": {
      "type": "string",
      "const": "customer.activated"
    },
    "category": {
      "type": "string",
      "const": "CUSTOMER"
    },
    "timestamp": Timestamp,
    "data": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "id",
        "firstName",
        "lastName",
        "email",
        "customerStatus",
        "creationDate"
      ],
      "properties": {
        "id": Identifier,
        "firstName": {
          "type": "string",
          "maxLength": 255
        },
        "lastName": {
          "type": "string",
          "maxLength": 255
        },
        "email": {
          "type": "string",
          "minLength": 3,
          "maxLength": 254,
          "pattern": "^[^@\\s]+@[^@\\s]+$"
        },
        "customerStatus": {
          "type": "string",
          "const": "ACTIVE"
        },
        "accountDetails": AccountDetails,
        "creationDate": Timestamp
      }
    }
  },
  "examples": [
    {
      "id": "evt_01J9ZG0009",
      "type": "customer.activated",
      "category": "CUSTOMER",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {
        "id": "cus_01J9ZB7M2K",
        "firstName": "Ada",
        "lastName": "Osei",
        "email": "ada.osei@example.com",
        "customerStatus": "ACTIVE",
        "accountDetails": {
          "financialInstitutionName": "First Example Bank",
          "accountLastFourDigits": "0042",
          "accountType": "checking",
          "accountStatus": "ACTIVE",
          "preferred": true,
          "creationDate": "2026-11-20T16:04:05.120Z"
        },
        "creationDate": "2026-11-20T16:00:00.000Z"
      }
    }
  ]
};
export const CustomerDeactivatedEvent: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "type",
    "category",
    "timestamp",
    "data"
  ],
  "properties": {
    "id": Identifier,
    "type": {
      "type": "string",
      "const": "customer.deactivated"
    },
    "category": {
      "type": "string",
      "const": "CUSTOMER"
    },
    "timestamp": Timestamp,
    "data": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "id",
        "firstName",
        "lastName",
        "email",
        "customerStatus",
        "creationDate"
      ],
      "properties": {
        "id": Identifier,
        "firstName": {
          "type": "string",
          "maxLength": 255
        },
        "lastName": {
          "type": "string",
          "maxLength": 255
        },
        "email": {
          "type": "string",
          "minLength": 3,
          "maxLength": 254,
          "pattern": "^[^@\\s]+@[^@\\s]+$"
        },
        "customerStatus": {
          "type": "string",
          "const": "INACTIVE"
        },
        "accountDetails": AccountDetails,
        "creationDate": Timestamp
      }
    }
  },
  "examples": [
    {
      "id": "evt_01J9ZG0010",
      "type": "customer.deactivated",
      "category": "CUSTOMER",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {
        "id": "cus_01J9ZB7M2K",
        "firstName": "Ada",
        "lastName": "Osei",
        "email": "ada.osei@example.com",
        "customerStatus": "INACTIVE",
        "accountDetails": {
          "financialInstitutionName": "First Example Bank",
          "accountLastFourDigits": "0042",
          "accountType": "checking",
          "accountStatus": "INACTIVE",
          "preferred": true,
          "creationDate": "2026-11-20T16:04:05.120Z"
        },
        "creationDate": "2026-11-20T16:00:00.000Z"
      }
    }
  ]
};
export const AccountLinkedEvent: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "type",
    "category",
    "timestamp",
    "data"
  ],
  "properties": {
    "id": Identifier,
    "type": {
      "type": "string",
      "const": "account.linked"
    },
    "category": {
      "type": "string",
      "const": "ACCOUNT"
    },
    "timestamp": Timestamp,
    "data": LinkedAccount
  },
  "examples": [
    {
      "id": "evt_01J9ZG0011",
      "type": "account.linked",
      "category": "ACCOUNT",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {
        "customerId": "cus_01J9ZB7M2K",
        "accountDetails": {
          "financialInstitutionName": "First Example Bank",
          "accountLastFourDigits": "0042",
          "accountType": "checking",
          "accountStatus": "ACTIVE",
          "preferred": true,
          "creationDate": "2026-11-20T16:04:05.120Z"
        }
      }
    }
  ]
};
export const AccountUpdatedEvent: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "type",
    "category",
    "timestamp",
    "data"
  ],
  "properties": {
    "id": Identifier,
    "type": {
      "type": "string",
      "const": "account.updated"
    },
    "category": {
      "type": "string",
      "const": "ACCOUNT"
    },
    "timestamp": Timestamp,
    "data": LinkedAccount
  },
  "examples": [
    {
      "id": "evt_01J9ZG0012",
      "type": "account.updated",
      "category": "ACCOUNT",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {
        "customerId": "cus_01J9ZB7M2K",
        "accountDetails": {
          "financialInstitutionName": "First Example Bank",
          "accountLastFourDigits": "0042",
          "accountType": "checking",
          "accountStatus": "ACTIVE",
          "preferred": false,
          "creationDate": "2026-11-20T16:04:05.120Z"
        }
      }
    }
  ]
};
export const AccountDeactivatedEvent: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "type",
    "category",
    "timestamp",
    "data"
  ],
  "properties": {
    "id": Identifier,
    "type": {
      "type": "string",
      "const": "account.deactivated"
    },
    "category": {
      "type": "string",
      "const": "ACCOUNT"
    },
    "timestamp": Timestamp,
    "data": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "customerId",
        "accountDetails"
      ],
      "properties": {
        "customerId": Identifier,
        "accountDetails": {
          "type": "object",
          "additionalProperties": false,
          "required": [
            "financialInstitutionName",
            "accountLastFourDigits",
            "accountType",
            "accountStatus",
            "preferred",
            "creationDate"
          ],
          "properties": {
            "financialInstitutionName": {
              "type": "string",
              "minLength": 1,
              "maxLength": 255
            },
            "accountLastFourDigits": {
              "type": "string",
              "minLength": 4,
              "maxLength": 4,
              "pattern": "^[0-9]+$"
            },
            "accountType": {
              "type": "string",
              "openEnum": [
                "checking",
                "savings"
              ]
            },
            "accountStatus": {
              "type": "string",
              "const": "INACTIVE"
            },
            "preferred": {
              "type": "boolean"
            },
            "creationDate": Timestamp
          }
        }
      }
    }
  },
  "examples": [
    {
      "id": "evt_01J9ZG0013",
      "type": "account.deactivated",
      "category": "ACCOUNT",
      "timestamp": "2026-11-21T09:30:00.000Z",
      "data": {
        "customerId": "cus_01J9ZB7M2K",
        "accountDetails": {
          "financialInstitutionName": "First Example Bank",
          "accountLastFourDigits": "0042",
          "accountType": "checking",
          "accountStatus": "INACTIVE",
          "preferred": true,
          "creationDate": "2026-11-20T16:04:05.120Z"
        }
      }
    }
  ]
};
export const Profile: JudgedSchema = {
  "type": "object",
  "additionalProperties": false,
  "required": [
    "name",
    "signature",
    "envelope",
    "catalogue",
    "delivery",
    "statuses",
    "refund",
    "amount",
    "hold",
    "subscription",
    "token",
    "account",
    "customer",
    "rateLimit",
    "limits",
    "deprecation",
    "evidence"
  ],
  "properties": {
    "$schema": {
      "type": "string",
      "minLength": 1,
      "maxLength": 256
    },
    "name": {
      "type": "string",
      "minLength": 1,
      "maxLength": 64,
      "pattern": "^[a-z0-9-]+$"
    },
    "signature": {
      "type": "object",
      "discriminator": {
        "propertyName": "scheme"
      },
      "oneOf": [
        {
          "type": "object",
          "additionalProperties": false,
          "required": [
            "scheme",
            "toleranceSeconds"
          ],
          "properties": {
            "scheme": {
              "type": "string",
              "const": "standard-webhooks"
            },
            "toleranceSeconds": {
              "type": "integer",
              "minimum": 0,
              "maximum": 86400
            }
          }
        },
        {
          "type": "object",
          "additionalProperties": false,
          "required": [
            "scheme",
            "toleranceSeconds",
            "description"
          ],
          "properties": {
            "scheme": {
              "type": "string",
              "const": "hmac"
            },
            "toleranceSeconds": {
              "type": "integer",
              "minimum": 0,
              "maximum": 86400
            },
            "description": {
              "type": "object",
              "additionalProperties": false,
              "required": [
                "name",
                "algorithm",
                "encoding",
                "headers",
                "form",
                "signed",
                "separator"
              ],
              "properties": {
                "name": {
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 64,
                  "pattern": "^[a-z0-9-]+$"
                },
                "algorithm": {
                  "type": "string",
                  "enum": [
                    "sha256",
                    "sha384",
                    "sha512"
                  ]
                },
                "encoding": {
                  "type": "string",
                  "enum": [
                    "base64",
                    "hex"
                  ]
                },
                "headers": {
                  "type": "object",
                  "additionalProperties": false,
                  "required": [
                    "signature"
                  ],
                  "properties": {
                    "signature": {
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 64,
                      "pattern": "^[A-Za-z0-9-]+$"
                    },
                    "timestamp": {
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 64,
                      "pattern": "^[A-Za-z0-9-]+$"
                    },
                    "id": {
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 64,
                      "pattern": "^[A-Za-z0-9-]+$"
                    }
                  }
                },
                "form": {
                  "type": "object",
                  "discriminator": {
                    "propertyName": "kind"
                  },
                  "oneOf": [
                    {
                      "type": "object",
                      "additionalProperties": false,
                      "required": [
                        "kind",
                        "prefix"
                      ],
                      "properties": {
                        "kind": {
                          "type": "string",
                          "const": "single"
                        },
                        "prefix": {
                          "type": "string",
                          "maxLength": 32,
                          "pattern": "^[!-~]*$"
                        }
                      }
                    },
                    {
                      "type": "object",
                      "additionalProperties": false,
                      "required": [
                        "kind",
                        "prefix",
                        "separator"
                      ],
                      "properties": {
                        "kind": {
                          "type": "string",
                          "const": "list"
                        },
                        "prefix": {
                          "type": "string",
                          "maxLength": 32,
                          "pattern": "^[!-~]*$"
                        },
                        "separator": {
                          "type": "string",
                          "enum": [
                            " ",
                            ","
                          ]
                        }
                      }
                    },
                    {
                      "type": "object",
                      "additionalProperties": false,
                      "required": [
                        "kind",
                        "timestamp",
                        "signature"
                      ],
                      "properties": {
                        "kind": {
                          "type": "string",
                          "const": "pairs"
                        },
                        "timestamp": {
                          "type": "string",
                          "minLength": 1,
                          "maxLength": 16,
                          "pattern": "^[A-Za-z0-9]+$"
                        },
                        "signature": {
                          "type": "string",
                          "minLength": 1,
                          "maxLength": 16,
                          "pattern": "^[A-Za-z0-9]+$"
                        }
                      }
                    }
                  ]
                },
                "signed": {
                  "type": "array",
                  "minItems": 1,
                  "maxItems": 3,
                  "items": {
                    "type": "string",
                    "enum": [
                      "id",
                      "timestamp",
                      "body"
                    ]
                  }
                },
                "separator": {
                  "type": "string",
                  "maxLength": 4,
                  "pattern": "^[ -~]*$"
                },
                "minSecretBytes": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 64
                }
              }
            }
          }
        }
      ]
    },
    "envelope": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "id",
        "type",
        "timestamp",
        "data"
      ],
      "properties": {
        "id": {
          "type": "string",
          "maxLength": 256,
          "pattern": "^(/[A-Za-z0-9_.-]+)*$"
        },
        "type": {
          "type": "string",
          "maxLength": 256,
          "pattern": "^(/[A-Za-z0-9_.-]+)*$"
        },
        "category": {
          "type": "string",
          "maxLength": 256,
          "pattern": "^(/[A-Za-z0-9_.-]+)*$"
        },
        "timestamp": {
          "type": "string",
          "maxLength": 256,
          "pattern": "^(/[A-Za-z0-9_.-]+)*$"
        },
        "data": {
          "type": "string",
          "maxLength": 256,
          "pattern": "^(/[A-Za-z0-9_.-]+)*$"
        }
      }
    },
    "catalogue": {
      "type": "array",
      "minItems": 1,
      "maxItems": 500,
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "type",
          "category",
          "resource"
        ],
        "properties": {
          "kind": {
            "type": "string",
            "enum": [
              "payment.created",
              "payment.authorized",
              "payment.succeeded",
              "payment.failed",
              "payment.canceled",
              "refund.pending",
              "refund.authorized",
              "refund.failed",
              "customer.created",
              "customer.activated",
              "customer.deactivated",
              "account.linked",
              "account.updated",
              "account.deactivated"
            ]
          },
          "type": {
            "type": "string",
            "minLength": 1,
            "maxLength": 128,
            "pattern": "^[A-Za-z0-9_.-]+$"
          },
          "category": {
            "type": "string",
            "minLength": 1,
            "maxLength": 64,
            "pattern": "^[A-Z][A-Z0-9_]*$"
          },
          "schema": {
            "type": "object"
          },
          "sample": {
            "type": "object"
          },
          "resource": {
            "type": "string",
            "maxLength": 256,
            "pattern": "^(/[A-Za-z0-9_.-]+)*$"
          },
          "rank": {
            "type": "integer",
            "minimum": 0,
            "maximum": 1000
          }
        }
      }
    },
    "delivery": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "scheduleSeconds",
        "jitter",
        "timeoutMs",
        "success",
        "goneStatus",
        "retryAfterFactor",
        "pause"
      ],
      "properties": {
        "scheduleSeconds": {
          "type": "array",
          "minItems": 1,
          "maxItems": 50,
          "items": {
            "type": "integer",
            "minimum": 0,
            "maximum": 2592000
          }
        },
        "jitter": {
          "type": "number",
          "minimum": 0,
          "maximum": 0.5
        },
        "timeoutMs": {
          "type": "integer",
          "minimum": 100,
          "maximum": 120000
        },
        "success": {
          "type": "string",
          "enum": [
            "2xx",
            "200"
          ]
        },
        "goneStatus": {
          "type": "integer",
          "minimum": 400,
          "maximum": 599
        },
        "retryAfterFactor": {
          "type": "number",
          "minimum": 1,
          "maximum": 10
        },
        "pause": {
          "type": "object",
          "additionalProperties": false,
          "required": [
            "failures",
            "hours"
          ],
          "properties": {
            "failures": {
              "type": "integer",
              "minimum": 1,
              "maximum": 1000000
            },
            "hours": {
              "type": "integer",
              "minimum": 1,
              "maximum": 8760
            }
          }
        }
      }
    },
    "statuses": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "refundCreated",
        "subscribed",
        "duplicateKey",
        "business",
        "forbidden",
        "errorBody"
      ],
      "properties": {
        "refundCreated": {
          "type": "integer",
          "enum": [
            200,
            201,
            202
          ]
        },
        "subscribed": {
          "type": "integer",
          "enum": [
            200,
            201
          ]
        },
        "duplicateKey": {
          "type": "integer",
          "enum": [
            400,
            409,
            422
          ]
        },
        "business": {
          "type": "integer",
          "enum": [
            400,
            422
          ]
        },
        "forbidden": {
          "type": "integer",
          "enum": [
            401,
            403
          ]
        },
        "errorBody": {
          "type": "string",
          "enum": [
            "problem",
            "flat"
          ]
        }
      }
    },
    "payments": {
      "type": "boolean"
    },
    "refund": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "duplicate",
        "responsePaymentId",
        "clientReferenceIdWhenAbsent",
        "softDescriptor"
      ],
      "properties": {
        "duplicate": {
          "type": "string",
          "enum": [
            "reject",
            "reject-with-existing"
          ]
        },
        "responsePaymentId": {
          "type": "string",
          "enum": [
            "refund",
            "original"
          ]
        },
        "clientReferenceIdWhenAbsent": {
          "type": "string",
          "enum": [
            "null",
            "omit"
          ]
        },
        "softDescriptor": {
          "type": "string",
          "enum": [
            "alphanumeric",
            "printable-ascii"
          ]
        }
      }
    },
    "amount": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "minimumCents",
        "maximumCents"
      ],
      "properties": {
        "minimumCents": {
          "type": "integer",
          "minimum": 1,
          "maximum": 9999999999
        },
        "maximumCents": {
          "type": "integer",
          "minimum": 1,
          "maximum": 9999999999
        }
      }
    },
    "hold": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "businessDays",
        "timeZone",
        "cutoff",
        "closed",
        "open"
      ],
      "properties": {
        "businessDays": {
          "type": "integer",
          "minimum": 0,
          "maximum": 60
        },
        "timeZone": {
          "type": "string",
          "minLength": 1,
          "maxLength": 64,
          "pattern": "^[A-Za-z0-9_+/-]+$"
        },
        "cutoff": {
          "type": "string",
          "maxLength": 5,
          "minLength": 5,
          "pattern": "^[0-2][0-9]:[0-5][0-9]$"
        },
        "closed": {
          "type": "array",
          "maxItems": 366,
          "items": {
            "type": "string",
            "maxLength": 10,
            "minLength": 10,
            "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
          }
        },
        "open": {
          "type": "array",
          "maxItems": 366,
          "items": {
            "type": "string",
            "maxLength": 10,
            "minLength": 10,
            "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
          }
        }
      }
    },
    "subscription": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "idIn",
        "maxPerMerchant"
      ],
      "properties": {
        "idIn": {
          "type": "string",
          "enum": [
            "body",
            "query",
            "path"
          ]
        },
        "maxPerMerchant": {
          "type": "integer",
          "minimum": 1,
          "maximum": 1000
        }
      }
    },
    "token": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "path",
        "lifetimeSeconds",
        "scopes"
      ],
      "properties": {
        "path": {
          "type": "string",
          "maxLength": 128,
          "pattern": "^/[A-Za-z0-9/_-]+$"
        },
        "lifetimeSeconds": {
          "type": "integer",
          "minimum": 60,
          "maximum": 86400
        },
        "scopes": {
          "type": "object",
          "additionalProperties": false,
          "required": [
            "payments",
            "core"
          ],
          "properties": {
            "payments": {
              "type": "string",
              "minLength": 1,
              "maxLength": 64,
              "pattern": "^[!-~]+$"
            },
            "core": {
              "type": "string",
              "minLength": 1,
              "maxLength": 64,
              "pattern": "^[!-~]+$"
            }
          }
        }
      }
    },
    "account": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "types",
        "statuses"
      ],
      "properties": {
        "types": {
          "type": "array",
          "minItems": 1,
          "maxItems": 20,
          "items": {
            "type": "string",
            "minLength": 1,
            "maxLength": 32
          }
        },
        "statuses": {
          "type": "array",
          "minItems": 1,
          "maxItems": 20,
          "items": {
            "type": "string",
            "minLength": 1,
            "maxLength": 32
          }
        }
      }
    },
    "customer": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "transitions"
      ],
      "properties": {
        "transitions": {
          "type": "array",
          "minItems": 1,
          "maxItems": 20,
          "items": {
            "type": "object",
            "additionalProperties": false,
            "required": [
              "from",
              "to"
            ],
            "properties": {
              "from": {
                "type": "string",
                "enum": [
                  "CREATED",
                  "ACTIVE",
                  "INACTIVE"
                ]
              },
              "to": {
                "type": "string",
                "enum": [
                  "CREATED",
                  "ACTIVE",
                  "INACTIVE"
                ]
              }
            }
          }
        }
      }
    },
    "rateLimit": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "refundsPerSecond",
        "tokensPerMinute",
        "othersPerSecond"
      ],
      "properties": {
        "refundsPerSecond": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100000
        },
        "tokensPerMinute": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100000
        },
        "othersPerSecond": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100000
        }
      }
    },
    "limits": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "bodyBytes",
        "depth",
        "identifier",
        "key",
        "url",
        "softDescriptor",
        "secretKey"
      ],
      "properties": {
        "bodyBytes": {
          "type": "integer",
          "minimum": 1024,
          "maximum": 10485760
        },
        "depth": {
          "type": "integer",
          "minimum": 4,
          "maximum": 64
        },
        "identifier": {
          "type": "integer",
          "minimum": 1,
          "maximum": 64
        },
        "key": {
          "type": "integer",
          "minimum": 1,
          "maximum": 255
        },
        "url": {
          "type": "integer",
          "minimum": 8,
          "maximum": 2048
        },
        "softDescriptor": {
          "type": "integer",
          "minimum": 1,
          "maximum": 80
        },
        "secretKey": {
          "type": "object",
          "additionalProperties": false,
          "required": [
            "minimum",
            "maximum"
          ],
          "properties": {
            "minimum": {
              "type": "integer",
              "minimum": 24,
              "maximum": 256
            },
            "maximum": {
              "type": "integer",
              "minimum": 24,
              "maximum": 256
            }
          }
        }
      }
    },
    "deprecation": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "additive"
      ],
      "properties": {
        "additive": {
          "type": "string",
          "enum": [
            "allowed",
            "refused"
          ]
        }
      }
    },
    "evidence": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "/signature",
        "/envelope",
        "/catalogue",
        "/delivery",
        "/statuses",
        "/refund/duplicate",
        "/refund/responsePaymentId",
        "/refund/clientReferenceIdWhenAbsent",
        "/refund/softDescriptor",
        "/amount",
        "/hold",
        "/subscription",
        "/token",
        "/account",
        "/customer",
        "/rateLimit",
        "/limits",
        "/deprecation"
      ],
      "properties": {
        "/signature": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/envelope": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/catalogue": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/delivery": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/statuses": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/refund/duplicate": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/refund/responsePaymentId": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/refund/clientReferenceIdWhenAbsent": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/refund/softDescriptor": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/amount": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/hold": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/subscription": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/token": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/account": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/customer": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/rateLimit": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/limits": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        },
        "/deprecation": {
          "type": "string",
          "enum": [
            "specified",
            "public practice",
            "assumed"
          ]
        }
      }
    }
  },
  "examples": [
    {
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
    }
  ]
};
