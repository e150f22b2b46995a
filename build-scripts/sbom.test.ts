import { expect, test } from "vitest";
import { provenance } from "./sbom.ts";

test("the statement names every output and input by its hash", () => {
  const file = (name: string, byte: string) => ({ name, digest: { sha256: byte.repeat(64) } });
  const statement = provenance({
    revision: "abc",
    version: "1.0.0",
    inputs: [file("package-lock.json", "1")],
    outputs: [file("supply-chain/sbom.cdx.json", "2")],
  });
  expect(statement).toMatchObject({
    _type: "https://in-toto.io/Statement/v1",
    predicateType: "https://slsa.dev/provenance/v1",
    subject: [{ name: "supply-chain/sbom.cdx.json", digest: { sha256: "2".repeat(64) } }],
    predicate: {
      buildDefinition: {
        resolvedDependencies: [
          { name: "sources", digest: { gitCommit: "abc" } },
          { name: "package-lock.json", digest: { sha256: "1".repeat(64) } },
        ],
      },
    },
  });
});
