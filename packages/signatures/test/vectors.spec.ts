import { describe, expect, it } from "vitest";
import { schemeOf } from "../src/index.ts";
import { documentOf, vectorFiles, verifyVector } from "./provider-files.ts";

describe.each(vectorFiles.map((file) => [file.provider, file] as const))(
  "the scheme of %s",
  (name, file) => {
    const scheme = schemeOf(documentOf(name));

    it.each(file.vectors.map((vector) => [vector.expected, vector.name, vector] as const))(
      "%s the vector: %s",
      (expected, _, vector) => {
        const verification = verifyVector(scheme, file, vector);
        const { ok, ...facts } = { code: "", ...verification };
        expect({ expected: ok ? "accepts" : "refuses", ...facts }).toMatchObject({ expected });
      },
    );
  },
);
