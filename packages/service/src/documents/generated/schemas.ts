// Generated from schemas/ by `pnpm generate`. Do not edit.
import type { Schemas } from "../profiled-schemas.ts";

/** The schemas by their titles. */
export const schemas: Schemas = {
  "AccountDeactivatedEvent": {
    "title": "AccountDeactivatedEvent",
    "description": "A linked bank account was deactivated. Interface section 6 specifies neither event names nor payloads; this schema chooses them.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate."
      },
      "type": {
        "type": "string",
        "const": "account.deactivated",
        "description": "Type of the event."
      },
      "category": {
        "type": "string",
        "const": "ACCOUNT",
        "description": "Category of the event, for subscriptions by category (interface section 2.5)."
      },
      "timestamp": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time of the event."
      },
      "data": {
        "description": "The data of account events: the customer and the account. Interface sections 2.3 and 6.",
        "type": "object",
        "additionalProperties": false,
        "required": [
          "customerId",
          "accountDetails"
        ],
        "properties": {
          "customerId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the account's customer."
          },
          "accountDetails": {
            "description": "A customer's linked bank account. Interface section 2.3.",
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
                "description": "Name of the bank; 1 to 255 characters.",
                "minLength": 1,
                "maxLength": 255
              },
              "accountLastFourDigits": {
                "type": "string",
                "description": "Last four digits of the account number, as text to keep leading zeros.",
                "minLength": 4,
                "maxLength": 4,
                "pattern": "^[0-9]+$"
              },
              "accountType": {
                "type": "string",
                "x-open": true,
                "enum": [
                  "checking",
                  "savings"
                ],
                "description": "Type of the account. Interface section 2.3 lists no values; readers accept others."
              },
              "accountStatus": {
                "type": "string",
                "description": "Status of the account. Interface section 2.3 lists no values; readers accept others.",
                "const": "INACTIVE"
              },
              "preferred": {
                "type": "boolean",
                "description": "True for the customer's preferred account."
              },
              "creationDate": {
                "$ref": "#/components/schemas/Timestamp",
                "description": "Time at which the account was linked."
              }
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
  },
  "AccountLinkedEvent": {
    "title": "AccountLinkedEvent",
    "description": "A bank account was linked. Interface section 6 specifies neither event names nor payloads; this schema chooses them.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate."
      },
      "type": {
        "type": "string",
        "const": "account.linked",
        "description": "Type of the event."
      },
      "category": {
        "type": "string",
        "const": "ACCOUNT",
        "description": "Category of the event, for subscriptions by category (interface section 2.5)."
      },
      "timestamp": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time of the event."
      },
      "data": {
        "$ref": "#/components/schemas/LinkedAccount"
      }
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
  },
  "AccountUpdatedEvent": {
    "title": "AccountUpdatedEvent",
    "description": "A linked bank account changed. Interface section 6 specifies neither event names nor payloads; this schema chooses them.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate."
      },
      "type": {
        "type": "string",
        "const": "account.updated",
        "description": "Type of the event."
      },
      "category": {
        "type": "string",
        "const": "ACCOUNT",
        "description": "Category of the event, for subscriptions by category (interface section 2.5)."
      },
      "timestamp": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time of the event."
      },
      "data": {
        "$ref": "#/components/schemas/LinkedAccount"
      }
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
  },
  "CustomerActivatedEvent": {
    "title": "CustomerActivatedEvent",
    "description": "A customer became ACTIVE (interface section 3.2). Interface section 6 specifies neither event names nor payloads; this schema chooses them.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate."
      },
      "type": {
        "type": "string",
        "const": "customer.activated",
        "description": "Type of the event."
      },
      "category": {
        "type": "string",
        "const": "CUSTOMER",
        "description": "Category of the event, for subscriptions by category (interface section 2.5)."
      },
      "timestamp": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time of the event."
      },
      "data": {
        "description": "A customer of the merchant, the response to GET /v1/customers/{CUSTOMER_ID}. Interface section 2.3.",
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
          "id": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Customer identifier."
          },
          "firstName": {
            "type": "string",
            "description": "Customer's first name; up to 255 characters.",
            "maxLength": 255
          },
          "lastName": {
            "type": "string",
            "description": "Customer's last name; up to 255 characters.",
            "maxLength": 255
          },
          "email": {
            "type": "string",
            "description": "Customer's e-mail address; up to 254 characters.",
            "minLength": 3,
            "maxLength": 254,
            "pattern": "^[^@\\s]+@[^@\\s]+$"
          },
          "customerStatus": {
            "type": "string",
            "description": "CREATED until an account is linked, then ACTIVE, and INACTIVE after consent ends (interface sections 2.3 and 3.2).",
            "const": "ACTIVE"
          },
          "accountDetails": {
            "$ref": "#/components/schemas/AccountDetails"
          },
          "creationDate": {
            "$ref": "#/components/schemas/Timestamp",
            "description": "Time at which the customer was created."
          }
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
  },
  "CustomerCreatedEvent": {
    "title": "CustomerCreatedEvent",
    "description": "A customer was created (interface section 3.2). Interface section 6 specifies neither event names nor payloads; this schema chooses them.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate."
      },
      "type": {
        "type": "string",
        "const": "customer.created",
        "description": "Type of the event."
      },
      "category": {
        "type": "string",
        "const": "CUSTOMER",
        "description": "Category of the event, for subscriptions by category (interface section 2.5)."
      },
      "timestamp": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time of the event."
      },
      "data": {
        "description": "A customer of the merchant, the response to GET /v1/customers/{CUSTOMER_ID}. Interface section 2.3.",
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
          "id": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Customer identifier."
          },
          "firstName": {
            "type": "string",
            "description": "Customer's first name; up to 255 characters.",
            "maxLength": 255
          },
          "lastName": {
            "type": "string",
            "description": "Customer's last name; up to 255 characters.",
            "maxLength": 255
          },
          "email": {
            "type": "string",
            "description": "Customer's e-mail address; up to 254 characters.",
            "minLength": 3,
            "maxLength": 254,
            "pattern": "^[^@\\s]+@[^@\\s]+$"
          },
          "customerStatus": {
            "type": "string",
            "description": "CREATED until an account is linked, then ACTIVE, and INACTIVE after consent ends (interface sections 2.3 and 3.2).",
            "const": "CREATED"
          },
          "accountDetails": {
            "$ref": "#/components/schemas/AccountDetails"
          },
          "creationDate": {
            "$ref": "#/components/schemas/Timestamp",
            "description": "Time at which the customer was created."
          }
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
  },
  "CustomerDeactivatedEvent": {
    "title": "CustomerDeactivatedEvent",
    "description": "A customer became INACTIVE (interface section 3.2). Interface section 6 specifies neither event names nor payloads; this schema chooses them.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate."
      },
      "type": {
        "type": "string",
        "const": "customer.deactivated",
        "description": "Type of the event."
      },
      "category": {
        "type": "string",
        "const": "CUSTOMER",
        "description": "Category of the event, for subscriptions by category (interface section 2.5)."
      },
      "timestamp": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time of the event."
      },
      "data": {
        "description": "A customer of the merchant, the response to GET /v1/customers/{CUSTOMER_ID}. Interface section 2.3.",
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
          "id": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Customer identifier."
          },
          "firstName": {
            "type": "string",
            "description": "Customer's first name; up to 255 characters.",
            "maxLength": 255
          },
          "lastName": {
            "type": "string",
            "description": "Customer's last name; up to 255 characters.",
            "maxLength": 255
          },
          "email": {
            "type": "string",
            "description": "Customer's e-mail address; up to 254 characters.",
            "minLength": 3,
            "maxLength": 254,
            "pattern": "^[^@\\s]+@[^@\\s]+$"
          },
          "customerStatus": {
            "type": "string",
            "description": "CREATED until an account is linked, then ACTIVE, and INACTIVE after consent ends (interface sections 2.3 and 3.2).",
            "const": "INACTIVE"
          },
          "accountDetails": {
            "$ref": "#/components/schemas/AccountDetails"
          },
          "creationDate": {
            "$ref": "#/components/schemas/Timestamp",
            "description": "Time at which the customer was created."
          }
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
  },
  "EventEnvelope": {
    "title": "EventEnvelope",
    "description": "The members of every event, including types that are added later. Interface section 6 does not specify a payload; this schema chooses it.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate."
      },
      "type": {
        "type": "string",
        "description": "Type of the event, its name (interface section 6, rule 4).",
        "minLength": 1,
        "maxLength": 128,
        "pattern": "^[A-Za-z0-9_.-]+$"
      },
      "category": {
        "type": "string",
        "x-open": true,
        "enum": [
          "ACCOUNT",
          "CUSTOMER",
          "PAYMENT"
        ],
        "description": "Category of the event, for subscriptions by category (interface section 2.5). Readers accept other values."
      },
      "timestamp": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time of the event."
      },
      "data": {
        "type": "object",
        "additionalProperties": true,
        "description": "The resource that the event is about. The type determines its schema."
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
  },
  "PaymentAuthorizedEvent": {
    "title": "PaymentAuthorizedEvent",
    "description": "The customer authorized the payment. Interface section 6 specifies neither event names nor payloads; this schema chooses them.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate."
      },
      "type": {
        "type": "string",
        "const": "payment.authorized",
        "description": "Type of the event."
      },
      "category": {
        "type": "string",
        "const": "PAYMENT",
        "description": "Category of the event, for subscriptions by category (interface section 2.5)."
      },
      "timestamp": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time of the event."
      },
      "data": {
        "description": "A payment record: a debit of a customer, or a refund of a debit. Interface section 2.2 specifies no members; this schema chooses them.",
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
          "paymentId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the payment record."
          },
          "direction": {
            "type": "string",
            "enum": [
              "DEBIT",
              "CREDIT"
            ],
            "description": "DEBIT takes money from the customer; CREDIT returns it. Check it before you mark an order as paid."
          },
          "originalPaymentId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the debit that a CREDIT refunds; absent for a DEBIT."
          },
          "customerId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the customer whose bank account is debited or credited."
          },
          "amount": {
            "$ref": "#/components/schemas/Amount"
          },
          "paymentStatus": {
            "type": "string",
            "description": "Status of the record. RETRYABLE_FAILED is still processing. Readers accept other values (interface section 2.2).",
            "const": "AUTHORIZED"
          },
          "clientReferenceId": {
            "type": [
              "string",
              "null"
            ],
            "maxLength": 255,
            "description": "The merchant's value, unchanged; null if there is none."
          },
          "creationDate": {
            "$ref": "#/components/schemas/Timestamp",
            "description": "Time at which the record was created."
          },
          "settlementDate": {
            "$ref": "#/components/schemas/Timestamp",
            "description": "Time at which the debit settled; absent before that. Refunds wait three business days from then (interface section 3.1)."
          },
          "covered": {
            "type": "boolean",
            "description": "True if the service covers the payment: the merchant keeps the money although the customer was not debited (interface section 3.1)."
          },
          "errorDetails": {
            "$ref": "#/components/schemas/ErrorDetails"
          }
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
  },
  "PaymentCanceledEvent": {
    "title": "PaymentCanceledEvent",
    "description": "The payment was canceled before money moved. Interface section 6 specifies neither event names nor payloads; this schema chooses them.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate."
      },
      "type": {
        "type": "string",
        "const": "payment.canceled",
        "description": "Type of the event."
      },
      "category": {
        "type": "string",
        "const": "PAYMENT",
        "description": "Category of the event, for subscriptions by category (interface section 2.5)."
      },
      "timestamp": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time of the event."
      },
      "data": {
        "description": "A payment record: a debit of a customer, or a refund of a debit. Interface section 2.2 specifies no members; this schema chooses them.",
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
          "paymentId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the payment record."
          },
          "direction": {
            "type": "string",
            "enum": [
              "DEBIT",
              "CREDIT"
            ],
            "description": "DEBIT takes money from the customer; CREDIT returns it. Check it before you mark an order as paid."
          },
          "originalPaymentId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the debit that a CREDIT refunds; absent for a DEBIT."
          },
          "customerId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the customer whose bank account is debited or credited."
          },
          "amount": {
            "$ref": "#/components/schemas/Amount"
          },
          "paymentStatus": {
            "type": "string",
            "description": "Status of the record. RETRYABLE_FAILED is still processing. Readers accept other values (interface section 2.2).",
            "const": "CANCELED"
          },
          "clientReferenceId": {
            "type": [
              "string",
              "null"
            ],
            "maxLength": 255,
            "description": "The merchant's value, unchanged; null if there is none."
          },
          "creationDate": {
            "$ref": "#/components/schemas/Timestamp",
            "description": "Time at which the record was created."
          },
          "settlementDate": {
            "$ref": "#/components/schemas/Timestamp",
            "description": "Time at which the debit settled; absent before that. Refunds wait three business days from then (interface section 3.1)."
          },
          "covered": {
            "type": "boolean",
            "description": "True if the service covers the payment: the merchant keeps the money although the customer was not debited (interface section 3.1)."
          },
          "errorDetails": {
            "$ref": "#/components/schemas/ErrorDetails"
          }
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
  },
  "PaymentCreatedEvent": {
    "title": "PaymentCreatedEvent",
    "description": "A payment record was created. Interface section 6 specifies neither event names nor payloads; this schema chooses them.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate."
      },
      "type": {
        "type": "string",
        "const": "payment.created",
        "description": "Type of the event."
      },
      "category": {
        "type": "string",
        "const": "PAYMENT",
        "description": "Category of the event, for subscriptions by category (interface section 2.5)."
      },
      "timestamp": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time of the event."
      },
      "data": {
        "description": "A payment record: a debit of a customer, or a refund of a debit. Interface section 2.2 specifies no members; this schema chooses them.",
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
          "paymentId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the payment record."
          },
          "direction": {
            "type": "string",
            "enum": [
              "DEBIT",
              "CREDIT"
            ],
            "description": "DEBIT takes money from the customer; CREDIT returns it. Check it before you mark an order as paid."
          },
          "originalPaymentId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the debit that a CREDIT refunds; absent for a DEBIT."
          },
          "customerId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the customer whose bank account is debited or credited."
          },
          "amount": {
            "$ref": "#/components/schemas/Amount"
          },
          "paymentStatus": {
            "type": "string",
            "description": "Status of the record. RETRYABLE_FAILED is still processing. Readers accept other values (interface section 2.2).",
            "const": "CREATED"
          },
          "clientReferenceId": {
            "type": [
              "string",
              "null"
            ],
            "maxLength": 255,
            "description": "The merchant's value, unchanged; null if there is none."
          },
          "creationDate": {
            "$ref": "#/components/schemas/Timestamp",
            "description": "Time at which the record was created."
          },
          "settlementDate": {
            "$ref": "#/components/schemas/Timestamp",
            "description": "Time at which the debit settled; absent before that. Refunds wait three business days from then (interface section 3.1)."
          },
          "covered": {
            "type": "boolean",
            "description": "True if the service covers the payment: the merchant keeps the money although the customer was not debited (interface section 3.1)."
          },
          "errorDetails": {
            "$ref": "#/components/schemas/ErrorDetails"
          }
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
  },
  "PaymentFailedEvent": {
    "title": "PaymentFailedEvent",
    "description": "The payment failed permanently. Interface section 6 specifies neither event names nor payloads; this schema chooses them.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate."
      },
      "type": {
        "type": "string",
        "const": "payment.failed",
        "description": "Type of the event."
      },
      "category": {
        "type": "string",
        "const": "PAYMENT",
        "description": "Category of the event, for subscriptions by category (interface section 2.5)."
      },
      "timestamp": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time of the event."
      },
      "data": {
        "description": "A payment record: a debit of a customer, or a refund of a debit. Interface section 2.2 specifies no members; this schema chooses them.",
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
          "paymentId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the payment record."
          },
          "direction": {
            "type": "string",
            "enum": [
              "DEBIT",
              "CREDIT"
            ],
            "description": "DEBIT takes money from the customer; CREDIT returns it. Check it before you mark an order as paid."
          },
          "originalPaymentId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the debit that a CREDIT refunds; absent for a DEBIT."
          },
          "customerId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the customer whose bank account is debited or credited."
          },
          "amount": {
            "$ref": "#/components/schemas/Amount"
          },
          "paymentStatus": {
            "type": "string",
            "description": "Status of the record. RETRYABLE_FAILED is still processing. Readers accept other values (interface section 2.2).",
            "const": "TERMINAL_FAILED"
          },
          "clientReferenceId": {
            "type": [
              "string",
              "null"
            ],
            "maxLength": 255,
            "description": "The merchant's value, unchanged; null if there is none."
          },
          "creationDate": {
            "$ref": "#/components/schemas/Timestamp",
            "description": "Time at which the record was created."
          },
          "settlementDate": {
            "$ref": "#/components/schemas/Timestamp",
            "description": "Time at which the debit settled; absent before that. Refunds wait three business days from then (interface section 3.1)."
          },
          "covered": {
            "type": "boolean",
            "description": "True if the service covers the payment: the merchant keeps the money although the customer was not debited (interface section 3.1)."
          },
          "errorDetails": {
            "$ref": "#/components/schemas/ErrorDetails"
          }
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
  },
  "PaymentSucceededEvent": {
    "title": "PaymentSucceededEvent",
    "description": "The payment settled: the three business days of interface section 3.1 begin. Interface section 6 specifies neither event names nor payloads; this schema chooses them.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate."
      },
      "type": {
        "type": "string",
        "const": "payment.succeeded",
        "description": "Type of the event."
      },
      "category": {
        "type": "string",
        "const": "PAYMENT",
        "description": "Category of the event, for subscriptions by category (interface section 2.5)."
      },
      "timestamp": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time of the event."
      },
      "data": {
        "description": "A payment record: a debit of a customer, or a refund of a debit. Interface section 2.2 specifies no members; this schema chooses them.",
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
          "paymentId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the payment record."
          },
          "direction": {
            "type": "string",
            "enum": [
              "DEBIT",
              "CREDIT"
            ],
            "description": "DEBIT takes money from the customer; CREDIT returns it. Check it before you mark an order as paid."
          },
          "originalPaymentId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the debit that a CREDIT refunds; absent for a DEBIT."
          },
          "customerId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the customer whose bank account is debited or credited."
          },
          "amount": {
            "$ref": "#/components/schemas/Amount"
          },
          "paymentStatus": {
            "type": "string",
            "description": "Status of the record. RETRYABLE_FAILED is still processing. Readers accept other values (interface section 2.2).",
            "const": "SUCCEEDED"
          },
          "clientReferenceId": {
            "type": [
              "string",
              "null"
            ],
            "maxLength": 255,
            "description": "The merchant's value, unchanged; null if there is none."
          },
          "creationDate": {
            "$ref": "#/components/schemas/Timestamp",
            "description": "Time at which the record was created."
          },
          "settlementDate": {
            "$ref": "#/components/schemas/Timestamp",
            "description": "Time at which the debit settled; absent before that. Refunds wait three business days from then (interface section 3.1)."
          },
          "covered": {
            "type": "boolean",
            "description": "True if the service covers the payment: the merchant keeps the money although the customer was not debited (interface section 3.1)."
          },
          "errorDetails": {
            "$ref": "#/components/schemas/ErrorDetails"
          }
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
  },
  "RefundAuthorizedEvent": {
    "title": "RefundAuthorizedEvent",
    "description": "A refund's money is on its way (interface section 3.1). Interface section 6 specifies neither event names nor payloads; this schema chooses them.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate."
      },
      "type": {
        "type": "string",
        "const": "refund.authorized",
        "description": "Type of the event."
      },
      "category": {
        "type": "string",
        "const": "PAYMENT",
        "description": "Category of the event, for subscriptions by category (interface section 2.5)."
      },
      "timestamp": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time of the event."
      },
      "data": {
        "description": "A refund that is pending or whose money is moving; without errorDetails. Interface section 3.1.",
        "type": "object",
        "additionalProperties": false,
        "required": [
          "paymentId",
          "paymentStatus",
          "clientReferenceId"
        ],
        "properties": {
          "paymentId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the refund, which is a separate payment record (interface section 2.2)."
          },
          "paymentStatus": {
            "type": "string",
            "description": "PENDING: held until three business days after the original payment settled. AUTHORIZED: the money is on its way. Readers accept other values and treat them as not final.",
            "const": "AUTHORIZED"
          },
          "clientReferenceId": {
            "type": [
              "string",
              "null"
            ],
            "maxLength": 255,
            "description": "clientReferenceId of the request, unchanged; null if the request had none (interface section 2.2)."
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
  },
  "RefundFailedEvent": {
    "title": "RefundFailedEvent",
    "description": "A refund was rejected or failed: no money moves (interface section 3.1). Interface section 6 specifies neither event names nor payloads; this schema chooses them.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate."
      },
      "type": {
        "type": "string",
        "const": "refund.failed",
        "description": "Type of the event."
      },
      "category": {
        "type": "string",
        "const": "PAYMENT",
        "description": "Category of the event, for subscriptions by category (interface section 2.5)."
      },
      "timestamp": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time of the event."
      },
      "data": {
        "description": "A refund that was rejected or failed: no money moves. Interface sections 3.1 and 7.",
        "type": "object",
        "additionalProperties": false,
        "required": [
          "paymentId",
          "paymentStatus",
          "clientReferenceId",
          "errorDetails"
        ],
        "properties": {
          "paymentId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the refund, which is a separate payment record (interface section 2.2)."
          },
          "paymentStatus": {
            "type": "string",
            "const": "TERMINAL_FAILED",
            "description": "Final status. Interface section 3.1 also calls it FAILED; the value is TERMINAL_FAILED."
          },
          "clientReferenceId": {
            "type": [
              "string",
              "null"
            ],
            "maxLength": 255,
            "description": "clientReferenceId of the request, unchanged; null if the request had none (interface section 2.2)."
          },
          "errorDetails": {
            "$ref": "#/components/schemas/ErrorDetails"
          }
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
  },
  "RefundPendingEvent": {
    "title": "RefundPendingEvent",
    "description": "A refund is held until three business days after the settlement of the original payment (interface section 3.1). Interface section 6 specifies neither event names nor payloads; this schema chooses them.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate."
      },
      "type": {
        "type": "string",
        "const": "refund.pending",
        "description": "Type of the event."
      },
      "category": {
        "type": "string",
        "const": "PAYMENT",
        "description": "Category of the event, for subscriptions by category (interface section 2.5)."
      },
      "timestamp": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time of the event."
      },
      "data": {
        "description": "A refund that is pending or whose money is moving; without errorDetails. Interface section 3.1.",
        "type": "object",
        "additionalProperties": false,
        "required": [
          "paymentId",
          "paymentStatus",
          "clientReferenceId"
        ],
        "properties": {
          "paymentId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the refund, which is a separate payment record (interface section 2.2)."
          },
          "paymentStatus": {
            "type": "string",
            "description": "PENDING: held until three business days after the original payment settled. AUTHORIZED: the money is on its way. Readers accept other values and treat them as not final.",
            "const": "PENDING"
          },
          "clientReferenceId": {
            "type": [
              "string",
              "null"
            ],
            "maxLength": 255,
            "description": "clientReferenceId of the request, unchanged; null if the request had none (interface section 2.2)."
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
  },
  "AccountDetails": {
    "title": "AccountDetails",
    "description": "A customer's linked bank account. Interface section 2.3.",
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
        "description": "Name of the bank; 1 to 255 characters.",
        "minLength": 1,
        "maxLength": 255
      },
      "accountLastFourDigits": {
        "type": "string",
        "description": "Last four digits of the account number, as text to keep leading zeros.",
        "minLength": 4,
        "maxLength": 4,
        "pattern": "^[0-9]+$"
      },
      "accountType": {
        "type": "string",
        "x-open": true,
        "enum": [
          "checking",
          "savings"
        ],
        "description": "Type of the account. Interface section 2.3 lists no values; readers accept others."
      },
      "accountStatus": {
        "type": "string",
        "x-open": true,
        "enum": [
          "CREATED",
          "ACTIVE",
          "INACTIVE"
        ],
        "description": "Status of the account. Interface section 2.3 lists no values; readers accept others."
      },
      "preferred": {
        "type": "boolean",
        "description": "True for the customer's preferred account."
      },
      "creationDate": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time at which the account was linked."
      }
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
  },
  "Amount": {
    "title": "Amount",
    "description": "An amount of money. Interface section 2.1.",
    "type": "object",
    "additionalProperties": false,
    "required": [
      "currency",
      "value"
    ],
    "properties": {
      "currency": {
        "type": "string",
        "const": "USD",
        "description": "ISO 4217 currency code; always USD (interface sections 2.1 and 8)."
      },
      "value": {
        "type": "number",
        "minimum": 0.01,
        "maximum": 99999999.99,
        "description": "Amount in dollars, 0.01 to 99999999.99, with at most two decimal places. Parse it from the number's text: binary floating point is not exact, and a validator that divides by 0.01 rejects valid amounts."
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
  },
  "Customer": {
    "title": "Customer",
    "description": "A customer of the merchant, the response to GET /v1/customers/{CUSTOMER_ID}. Interface section 2.3.",
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
      "id": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Customer identifier."
      },
      "firstName": {
        "type": "string",
        "description": "Customer's first name; up to 255 characters.",
        "maxLength": 255
      },
      "lastName": {
        "type": "string",
        "description": "Customer's last name; up to 255 characters.",
        "maxLength": 255
      },
      "email": {
        "type": "string",
        "description": "Customer's e-mail address; up to 254 characters.",
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
        ],
        "description": "CREATED until an account is linked, then ACTIVE, and INACTIVE after consent ends (interface sections 2.3 and 3.2)."
      },
      "accountDetails": {
        "$ref": "#/components/schemas/AccountDetails"
      },
      "creationDate": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time at which the customer was created."
      }
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
  },
  "ErrorCode": {
    "title": "ErrorCode",
    "description": "Error code for programs. Interface section 7 names CUSTOMER_NOT_DEBITED; this schema chooses the others. Readers accept unknown codes.",
    "type": "string",
    "x-open": true,
    "enum": [
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
    ],
    "examples": [
      "CUSTOMER_NOT_DEBITED",
      "DUPLICATE_REQUEST_KEY"
    ]
  },
  "ErrorDetails": {
    "title": "ErrorDetails",
    "description": "The reason for a rejected or failed refund, or for a rejected call. Interface sections 2.2 and 7.",
    "type": "object",
    "additionalProperties": false,
    "required": [
      "errorCode",
      "errorMessage"
    ],
    "properties": {
      "errorCode": {
        "$ref": "#/components/schemas/ErrorCode"
      },
      "errorMessage": {
        "type": "string",
        "description": "Explanation for people; 1 to 1024 characters. Programs use errorCode.",
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
  },
  "FlatError": {
    "title": "FlatError",
    "description": "The body of a rejected call if the profile chooses the flat form. Interface section 7 does not specify the error body.",
    "type": "object",
    "additionalProperties": false,
    "required": [
      "errorId",
      "errorCode",
      "errorMessage"
    ],
    "properties": {
      "errorId": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of this occurrence."
      },
      "errorCode": {
        "$ref": "#/components/schemas/ErrorCode"
      },
      "errorMessage": {
        "type": "string",
        "description": "Explanation for people; 1 to 1024 characters.",
        "minLength": 1,
        "maxLength": 1024
      },
      "errorSeverity": {
        "type": "string",
        "x-open": true,
        "enum": [
          "INFO",
          "WARNING",
          "ERROR",
          "FATAL"
        ],
        "description": "Severity of the error. Readers accept other values."
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
  },
  "Identifier": {
    "title": "Identifier",
    "description": "An opaque identifier, not necessarily a UUID. Interface section 8 specifies no length; this schema allows 1 to 64 characters.",
    "type": "string",
    "minLength": 1,
    "maxLength": 64,
    "pattern": "^[A-Za-z0-9_-]+$",
    "examples": [
      "pay_01J9ZC5W3N",
      "42",
      "b7f0f0a2-8f5e-4f5d-9f10-2d4c1f0a7b11"
    ]
  },
  "LinkedAccount": {
    "title": "LinkedAccount",
    "description": "The data of account events: the customer and the account. Interface sections 2.3 and 6.",
    "type": "object",
    "additionalProperties": false,
    "required": [
      "customerId",
      "accountDetails"
    ],
    "properties": {
      "customerId": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the account's customer."
      },
      "accountDetails": {
        "$ref": "#/components/schemas/AccountDetails"
      }
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
  },
  "Payment": {
    "title": "Payment",
    "description": "A payment record: a debit of a customer, or a refund of a debit. Interface section 2.2 specifies no members; this schema chooses them.",
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
      "paymentId": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the payment record."
      },
      "direction": {
        "type": "string",
        "enum": [
          "DEBIT",
          "CREDIT"
        ],
        "description": "DEBIT takes money from the customer; CREDIT returns it. Check it before you mark an order as paid."
      },
      "originalPaymentId": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the debit that a CREDIT refunds; absent for a DEBIT."
      },
      "customerId": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the customer whose bank account is debited or credited."
      },
      "amount": {
        "$ref": "#/components/schemas/Amount"
      },
      "paymentStatus": {
        "type": "string",
        "x-open": true,
        "enum": [
          "CREATED",
          "PENDING",
          "AUTHORIZED",
          "SCHEDULED",
          "INITIATED",
          "SUCCEEDED",
          "RETRYABLE_FAILED",
          "TERMINAL_FAILED",
          "CANCELED"
        ],
        "description": "Status of the record. RETRYABLE_FAILED is still processing. Readers accept other values (interface section 2.2)."
      },
      "clientReferenceId": {
        "type": [
          "string",
          "null"
        ],
        "maxLength": 255,
        "description": "The merchant's value, unchanged; null if there is none."
      },
      "creationDate": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time at which the record was created."
      },
      "settlementDate": {
        "$ref": "#/components/schemas/Timestamp",
        "description": "Time at which the debit settled; absent before that. Refunds wait three business days from then (interface section 3.1)."
      },
      "covered": {
        "type": "boolean",
        "description": "True if the service covers the payment: the merchant keeps the money although the customer was not debited (interface section 3.1)."
      },
      "errorDetails": {
        "$ref": "#/components/schemas/ErrorDetails"
      }
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
  },
  "Problem": {
    "title": "Problem",
    "description": "The body of every rejected call (RFC 9457), with the errorDetails of interface section 7. The interface does not specify the error body; this schema chooses it.",
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
        "description": "URI that identifies the problem type (RFC 9457, section 3.1.1).",
        "minLength": 1,
        "maxLength": 2048,
        "pattern": "^[!-~]+$"
      },
      "title": {
        "type": "string",
        "description": "Short summary of the problem type; 1 to 255 characters.",
        "minLength": 1,
        "maxLength": 255
      },
      "status": {
        "type": "integer",
        "minimum": 400,
        "maximum": 599,
        "description": "HTTP status code of this response."
      },
      "detail": {
        "type": "string",
        "description": "Explanation of this occurrence, without secrets or personal data; 1 to 1024 characters.",
        "minLength": 1,
        "maxLength": 1024
      },
      "instance": {
        "type": "string",
        "description": "URI that identifies this occurrence (RFC 9457, section 3.1.5).",
        "minLength": 1,
        "maxLength": 2048,
        "pattern": "^[!-~]+$"
      },
      "requestId": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of this call in the service's logs."
      },
      "errorDetails": {
        "$ref": "#/components/schemas/ErrorDetails"
      },
      "errors": {
        "type": "array",
        "minItems": 1,
        "maxItems": 100,
        "description": "The invalid members of the request.",
        "items": {
          "title": "InvalidMember",
          "description": "An invalid member of the request. Interface section 7.",
          "type": "object",
          "additionalProperties": false,
          "required": [
            "pointer",
            "code"
          ],
          "properties": {
            "pointer": {
              "type": "string",
              "description": "JSON Pointer (RFC 6901) to the member in the request, also if the member is missing.",
              "maxLength": 2048
            },
            "code": {
              "type": "string",
              "description": "Error code for programs; 1 to 64 characters.",
              "minLength": 1,
              "maxLength": 64,
              "pattern": "^[A-Z][A-Z0-9_]*$"
            },
            "message": {
              "type": "string",
              "description": "Explanation for people, without the value; 1 to 1024 characters.",
              "minLength": 1,
              "maxLength": 1024
            }
          }
        }
      },
      "existing": {
        "title": "ExistingRefund",
        "description": "The refund that already has the requestKey. It shows a client that got no response to its first call what became of the refund. Interface section 4.1, rule 1.",
        "type": "object",
        "additionalProperties": false,
        "required": [
          "paymentId",
          "paymentStatus",
          "sameRequest"
        ],
        "properties": {
          "paymentId": {
            "$ref": "#/components/schemas/Identifier",
            "description": "Identifier of the existing refund."
          },
          "paymentStatus": {
            "type": "string",
            "x-open": true,
            "enum": [
              "PENDING",
              "AUTHORIZED",
              "TERMINAL_FAILED"
            ],
            "description": "Current status of the existing refund (interface section 3.1). Readers accept other values."
          },
          "sameRequest": {
            "type": "boolean",
            "description": "True if both calls have the same payment, amount and soft descriptor."
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
  },
  "RefundRequest": {
    "title": "RefundRequest",
    "description": "The body of POST /v1/refunds. Interface section 4.1.",
    "type": "object",
    "additionalProperties": false,
    "required": [
      "paymentId",
      "amount",
      "requestKey"
    ],
    "properties": {
      "paymentId": {
        "$ref": "#/components/schemas/Identifier",
        "description": "The original (debit) payment (interface section 4.1)."
      },
      "amount": {
        "$ref": "#/components/schemas/Amount"
      },
      "clientReferenceId": {
        "type": "string",
        "description": "The merchant's identifier for reconciliation, returned unchanged (interface section 4.1); 1 to 255 characters without control characters.",
        "minLength": 1,
        "maxLength": 255,
        "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F]+$"
      },
      "clientRefefenceId": {
        "type": "string",
        "description": "Alias of clientReferenceId, misspelled in the parameter list of interface section 4.1. Send clientReferenceId instead. The service rejects a request in which the two differ.",
        "minLength": 1,
        "maxLength": 255,
        "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F]+$",
        "deprecated": true
      },
      "softDescriptor": {
        "type": "string",
        "description": "Text for the customer's bank statement, which the bank may ignore; 1 to 80 letters, digits and spaces (interface sections 4.1 and 8).",
        "minLength": 1,
        "maxLength": 80,
        "pattern": "^[A-Za-z0-9 ]+$"
      },
      "requestKey": {
        "type": "string",
        "description": "The merchant's idempotency key for this refund: a second call with the same key is rejected (interface section 4.1, rule 1). 1 to 255 printable ASCII characters.",
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
  },
  "RefundInitiated": {
    "title": "RefundInitiated",
    "description": "A refund that is pending or whose money is moving; without errorDetails. Interface section 3.1.",
    "type": "object",
    "additionalProperties": false,
    "required": [
      "paymentId",
      "paymentStatus",
      "clientReferenceId"
    ],
    "properties": {
      "paymentId": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the refund, which is a separate payment record (interface section 2.2)."
      },
      "paymentStatus": {
        "type": "string",
        "x-open": true,
        "enum": [
          "PENDING",
          "AUTHORIZED"
        ],
        "description": "PENDING: held until three business days after the original payment settled. AUTHORIZED: the money is on its way. Readers accept other values and treat them as not final."
      },
      "clientReferenceId": {
        "type": [
          "string",
          "null"
        ],
        "maxLength": 255,
        "description": "clientReferenceId of the request, unchanged; null if the request had none (interface section 2.2)."
      }
    }
  },
  "RefundFailed": {
    "title": "RefundFailed",
    "description": "A refund that was rejected or failed: no money moves. Interface sections 3.1 and 7.",
    "type": "object",
    "additionalProperties": false,
    "required": [
      "paymentId",
      "paymentStatus",
      "clientReferenceId",
      "errorDetails"
    ],
    "properties": {
      "paymentId": {
        "$ref": "#/components/schemas/Identifier",
        "description": "Identifier of the refund, which is a separate payment record (interface section 2.2)."
      },
      "paymentStatus": {
        "type": "string",
        "const": "TERMINAL_FAILED",
        "description": "Final status. Interface section 3.1 also calls it FAILED; the value is TERMINAL_FAILED."
      },
      "clientReferenceId": {
        "type": [
          "string",
          "null"
        ],
        "maxLength": 255,
        "description": "clientReferenceId of the request, unchanged; null if the request had none (interface section 2.2)."
      },
      "errorDetails": {
        "$ref": "#/components/schemas/ErrorDetails"
      }
    }
  },
  "Refund": {
    "title": "Refund",
    "description": "The response to a refund request, and the data of refund events. Interface sections 2.2 and 3.1.",
    "type": "object",
    "discriminator": {
      "propertyName": "paymentStatus",
      "mapping": {
        "PENDING": "#/components/schemas/RefundInitiated",
        "AUTHORIZED": "#/components/schemas/RefundInitiated",
        "TERMINAL_FAILED": "#/components/schemas/RefundFailed"
      }
    },
    "oneOf": [
      {
        "$ref": "#/components/schemas/RefundInitiated"
      },
      {
        "$ref": "#/components/schemas/RefundFailed"
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
  },
  "SubscribeRequest": {
    "title": "SubscribeRequest",
    "description": "The body of POST /v1/webhook/subscribe. Interface section 4.3.",
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
        "description": "URL for notifications: absolute http or https, without user name, password or fragment, up to 2048 ASCII characters. A service may reject http.",
        "format": "uri",
        "minLength": 8,
        "maxLength": 2048,
        "pattern": "^https?://[A-Za-z0-9.:_\\[\\]-]+([/?][!-\"$-\\[\\]-~]*)?$"
      },
      "secretKey": {
        "type": "string",
        "description": "The merchant's secret for verifying webhooks (interface section 5, rule 3): 24 to 256 characters from 0x21 to 0x7E. The signature scheme defines prefixes such as whsec_.",
        "minLength": 24,
        "maxLength": 256,
        "pattern": "^[!-~]+$"
      },
      "subscriptionDetails": {
        "$ref": "#/components/schemas/SubscriptionDetails"
      }
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
  },
  "SubscribeResponse": {
    "title": "SubscribeResponse",
    "description": "The response to POST /v1/webhook/subscribe. Interface section 4.3.",
    "type": "object",
    "additionalProperties": false,
    "required": [
      "subscriptionKey"
    ],
    "properties": {
      "subscriptionKey": {
        "type": "string",
        "description": "Unique, opaque key of the subscription, needed to unsubscribe; 1 to 64 characters (interface section 2.4).",
        "minLength": 1,
        "maxLength": 64
      }
    },
    "examples": [
      {
        "subscriptionKey": "sub_01J9ZE9T7P"
      }
    ]
  },
  "NamedEvents": {
    "title": "NamedEvents",
    "description": "Events selected by name. Interface section 2.5.",
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "details"
    ],
    "properties": {
      "type": {
        "type": "string",
        "const": "EVENT",
        "description": "Selects events by name."
      },
      "details": {
        "type": "array",
        "description": "1 to 100 event names; duplicates are ignored.",
        "maxItems": 100,
        "items": {
          "type": "string",
          "description": "Name of an event in the profile's catalogue.",
          "minLength": 1,
          "maxLength": 128
        },
        "minItems": 1
      }
    }
  },
  "EventCategories": {
    "title": "EventCategories",
    "description": "Events selected by category. Interface section 2.5.",
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "details"
    ],
    "properties": {
      "type": {
        "type": "string",
        "const": "CATEGORY",
        "description": "Selects events by category."
      },
      "details": {
        "type": "array",
        "description": "1 to 100 categories; duplicates are ignored.",
        "maxItems": 100,
        "items": {
          "type": "string",
          "description": "Category in the profile's catalogue.",
          "minLength": 1,
          "maxLength": 64,
          "pattern": "^[A-Z][A-Z0-9_]*$"
        },
        "minItems": 1
      }
    }
  },
  "AllEvents": {
    "title": "AllEvents",
    "description": "All events, including types that are added later. Interface section 2.5.",
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type"
    ],
    "properties": {
      "type": {
        "type": "string",
        "const": "ALL",
        "description": "Selects all events."
      },
      "details": {
        "type": "array",
        "description": "Ignored (interface section 2.5).",
        "maxItems": 100,
        "items": {
          "type": "string",
          "maxLength": 128
        }
      }
    }
  },
  "SubscriptionDetails": {
    "title": "SubscriptionDetails",
    "description": "The events that a subscribe or unsubscribe call selects. Interface section 2.5.",
    "type": "object",
    "discriminator": {
      "propertyName": "type",
      "mapping": {
        "EVENT": "#/components/schemas/NamedEvents",
        "CATEGORY": "#/components/schemas/EventCategories",
        "ALL": "#/components/schemas/AllEvents"
      }
    },
    "oneOf": [
      {
        "$ref": "#/components/schemas/NamedEvents"
      },
      {
        "$ref": "#/components/schemas/EventCategories"
      },
      {
        "$ref": "#/components/schemas/AllEvents"
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
  },
  "Timestamp": {
    "title": "Timestamp",
    "description": "Date and time in UTC with milliseconds, YYYY-MM-DDTHH:mm:ss.SSSZ, on an existing date. Interface section 2.3.",
    "type": "string",
    "format": "date-time",
    "minLength": 24,
    "maxLength": 24,
    "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$",
    "examples": [
      "2026-11-21T09:30:00.000Z",
      "2028-02-29T23:59:59.999Z"
    ]
  },
  "TokenError": {
    "title": "TokenError",
    "description": "The response to a rejected token request (RFC 6749, section 5.2). Interface section 5, rule 2.",
    "type": "object",
    "additionalProperties": false,
    "required": [
      "error"
    ],
    "properties": {
      "error": {
        "type": "string",
        "x-open": true,
        "enum": [
          "invalid_request",
          "invalid_client",
          "invalid_grant",
          "unauthorized_client",
          "unsupported_grant_type",
          "invalid_scope"
        ],
        "description": "Error code of RFC 6749, section 5.2. Readers accept other values."
      },
      "error_description": {
        "type": "string",
        "description": "Explanation for developers; up to 1024 printable ASCII characters.",
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
  },
  "TokenRequest": {
    "title": "TokenRequest",
    "description": "The members of a token request, sent as a form or as JSON. Interface section 5 does not say how a client obtains a token; this schema chooses OAuth 2 client credentials (RFC 6749, section 4.4). The client authenticates by HTTP Basic or by the two members client_id and client_secret, never by both.",
    "type": "object",
    "additionalProperties": false,
    "required": [
      "grant_type"
    ],
    "properties": {
      "grant_type": {
        "type": "string",
        "const": "client_credentials",
        "description": "Grant type of RFC 6749, section 4.4.2."
      },
      "scope": {
        "type": "string",
        "description": "Requested scopes, space-separated (RFC 6749, section 3.3). Default: all scopes of the client.",
        "minLength": 1,
        "maxLength": 255,
        "pattern": "^[!#-\\[\\]-~]+( [!#-\\[\\]-~]+)*$"
      },
      "client_id": {
        "type": "string",
        "description": "Client id (RFC 6749, section 2.3.1); 1 to 255 printable ASCII characters.",
        "minLength": 1,
        "maxLength": 255,
        "pattern": "^[ -~]+$"
      },
      "client_secret": {
        "type": "string",
        "description": "Client secret (RFC 6749, section 2.3.1); 1 to 255 printable ASCII characters.",
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
  },
  "TokenResponse": {
    "title": "TokenResponse",
    "description": "The response to a token request (RFC 6749, section 5.1). Interface section 5, rule 2.",
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
        "description": "Opaque token for the Authorization: Bearer header (interface section 5, rule 1), in the characters of RFC 6750, section 2.1.",
        "minLength": 1,
        "maxLength": 4096,
        "pattern": "^[A-Za-z0-9._~+/-]+=*$"
      },
      "token_type": {
        "type": "string",
        "const": "Bearer",
        "description": "Token type of RFC 6750."
      },
      "expires_in": {
        "type": "integer",
        "minimum": 1,
        "maximum": 31536000,
        "description": "Lifetime of the token in seconds."
      },
      "scope": {
        "type": "string",
        "description": "Granted scopes, space-separated (RFC 6749, section 3.3).",
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
  },
  "UnsubscribeRequest": {
    "title": "UnsubscribeRequest",
    "description": "The body of PUT /v1/webhook/unsubscribe. Interface section 4.4 does not say whether subscriptionId is in the path, the query or the body; a service that reads it from elsewhere adds it to the body before validating.",
    "type": "object",
    "additionalProperties": false,
    "required": [
      "subscriptionId",
      "subscriptionDetails"
    ],
    "properties": {
      "subscriptionId": {
        "type": "string",
        "description": "The subscriptionKey from the subscribe call; 1 to 64 characters.",
        "minLength": 1,
        "maxLength": 64
      },
      "subscriptionDetails": {
        "$ref": "#/components/schemas/SubscriptionDetails"
      }
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
  },
  "UnsubscribeResponse": {
    "title": "UnsubscribeResponse",
    "description": "The response to PUT /v1/webhook/unsubscribe. Interface section 4.4.",
    "type": "object",
    "additionalProperties": false,
    "required": [
      "subscriptionKey"
    ],
    "properties": {
      "subscriptionKey": {
        "type": "string",
        "description": "Unique, opaque key of the subscription, needed to unsubscribe; 1 to 64 characters (interface section 2.4).",
        "minLength": 1,
        "maxLength": 64
      }
    },
    "examples": [
      {
        "subscriptionKey": "sub_01J9ZE9T7P"
      }
    ]
  }
};
