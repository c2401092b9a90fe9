package com.fasterxml.jackson.databind;

public abstract class JsonNode {
    public abstract JsonNode at(String pointer);

    public abstract String asText();
}
