package com.fasterxml.jackson.annotation;

public @interface JsonValue {
}
