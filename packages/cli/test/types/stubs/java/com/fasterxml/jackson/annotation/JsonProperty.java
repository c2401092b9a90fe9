package com.fasterxml.jackson.annotation;

public @interface JsonProperty {
    String value() default "";
}
