// Generated from schemas/ by `pnpm generate`. Do not edit.
import { checkOf } from "../check-of.ts";
import { type Validator, writer } from "../validator.ts";
import type { Profile } from "./types.ts";

/** Judges a profile's document: closed, all errors at once. */
export const validateProfile: Validator<Profile> = writer(
  checkOf({
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
      "headers",
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
              "enum": [
                "ACCOUNT",
                "CUSTOMER",
                "PAYMENT"
              ]
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
      "refund": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "duplicate",
          "responsePaymentId",
          "clientReferenceIdWhenAbsent",
          "typoAlias",
          "overRefund",
          "lateReturn",
          "softDescriptor"
        ],
        "properties": {
          "duplicate": {
            "type": "string",
            "enum": [
              "reject",
              "reject-with-existing",
              "replay"
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
              "omit",
              "empty"
            ]
          },
          "typoAlias": {
            "type": "string",
            "enum": [
              "alias",
              "ignore",
              "reject"
            ]
          },
          "overRefund": {
            "type": "string",
            "enum": [
              "reject"
            ]
          },
          "lateReturn": {
            "type": "boolean"
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
          "trailingZeros",
          "exponent",
          "strings",
          "minimumCents",
          "maximumCents"
        ],
        "properties": {
          "trailingZeros": {
            "type": "string",
            "enum": [
              "reject",
              "accept"
            ]
          },
          "exponent": {
            "type": "string",
            "enum": [
              "reject",
              "accept"
            ]
          },
          "strings": {
            "type": "string",
            "enum": [
              "reject",
              "accept"
            ]
          },
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
          "mode",
          "timeZone",
          "cutoff",
          "calendar",
          "closed",
          "open"
        ],
        "properties": {
          "businessDays": {
            "type": "integer",
            "minimum": 0,
            "maximum": 60
          },
          "mode": {
            "type": "string",
            "enum": [
              "date",
              "full-days",
              "instant"
            ]
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
          "calendar": {
            "type": "string",
            "enum": [
              "federal-reserve"
            ]
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
          "closed",
          "allWithDetails",
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
          "closed": {
            "type": "string",
            "enum": [
              "ok",
              "not-found",
              "gone"
            ]
          },
          "allWithDetails": {
            "type": "string",
            "enum": [
              "ignore",
              "reject"
            ]
          },
          "maxPerMerchant": {
            "type": "integer",
            "minimum": 1,
            "maximum": 1000
          }
        }
      },
      "headers": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "contentTypeOnGet",
          "acceptMissing"
        ],
        "properties": {
          "contentTypeOnGet": {
            "type": "string",
            "enum": [
              "error",
              "warn",
              "off"
            ]
          },
          "acceptMissing": {
            "type": "string",
            "enum": [
              "error",
              "warn",
              "off"
            ]
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
                "minimum": 1,
                "maximum": 256
              },
              "maximum": {
                "type": "integer",
                "minimum": 1,
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
          "additiveChanges",
          "noticeMonths"
        ],
        "properties": {
          "additiveChanges": {
            "type": "boolean"
          },
          "noticeMonths": {
            "type": "integer",
            "minimum": 0,
            "maximum": 120
          },
          "deprecated": {
            "type": "array",
            "maxItems": 20,
            "items": {
              "type": "object",
              "additionalProperties": false,
              "required": [
                "path",
                "since"
              ],
              "properties": {
                "path": {
                  "type": "string",
                  "maxLength": 128,
                  "pattern": "^/[A-Za-z0-9/_-]+$"
                },
                "since": {
                  "type": "string",
                  "minLength": 10,
                  "maxLength": 10,
                  "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
                },
                "sunset": {
                  "type": "string",
                  "minLength": 10,
                  "maxLength": 10,
                  "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
                },
                "link": {
                  "type": "string",
                  "maxLength": 2048,
                  "pattern": "^https://[!#-;=?-~]+$"
                }
              }
            }
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
          "/refund/typoAlias",
          "/refund/overRefund",
          "/refund/lateReturn",
          "/refund/softDescriptor",
          "/amount",
          "/hold",
          "/subscription",
          "/headers",
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
          "/refund/typoAlias": {
            "type": "string",
            "enum": [
              "specified",
              "public practice",
              "assumed"
            ]
          },
          "/refund/overRefund": {
            "type": "string",
            "enum": [
              "specified",
              "public practice",
              "assumed"
            ]
          },
          "/refund/lateReturn": {
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
          "/headers": {
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
    }
  }),
);
