/**
 * `npm run sbom`: writes to `dist/supply-chain/` the bill of materials of production (CycloneDX), the archive of the sources, and a
 * statement of how they were made (in-toto Statement v1 with SLSA Provenance v1), which names each input and output by its SHA-256.
 */

import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { sha256Hex } from "../src/kernel/hash.ts";

const PROJECT = join(import.meta.dirname, "..");
const FOLDER = join(PROJECT, "dist/supply-chain");
const BUILD_TYPE = "https://slsa.dev/provenance/v1#npm-run-sbom";

/** A file with its SHA-256, as in-toto names it. */
interface Artifact {
  readonly name: string;
  readonly digest: { readonly sha256: string };
}

export interface Built {
  readonly revision: string; // commit of the sources
  readonly version: string;
  readonly inputs: readonly Artifact[];
  readonly outputs: readonly Artifact[];
}

/** The statement is unsigned: it is the publisher's to sign. */
export function provenance({ revision, version, inputs, outputs }: Built): object {
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: outputs,
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: { version },
        resolvedDependencies: [{ name: "sources", digest: { gitCommit: revision } }, ...inputs],
      },
      runDetails: { builder: { id: `node ${process.version} on ${process.platform}-${process.arch}` } },
    },
  };
}

function artifact(path: string): Artifact {
  return { name: relative(PROJECT, path), digest: { sha256: sha256Hex(readFileSync(path)) } };
}

function run(command: string, args: readonly string[]): Buffer {
  return execFileSync(command, args, {
    cwd: PROJECT,
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

function main(): void {
  const { version } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
  mkdirSync(FOLDER, { recursive: true });
  const write = (name: string, content: string | Buffer) => {
    const path = join(FOLDER, name);
    writeFileSync(path, content);
    return path;
  };
  const outputs = [
    write(
      "sbom.cdx.json",
      run("npm", ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--package-lock-only"]),
    ),
    write(
      `presence-${version}.tar`,
      run("git", ["archive", "--format=tar", `--prefix=presence-${version}/`, "HEAD"]),
    ),
  ];
  const inputs = [
    ...["package.json", "package-lock.json", "deploy/container/Containerfile"].map((name) =>
      join(PROJECT, name),
    ),
    ...globSync(join(PROJECT, "node_modules/node-*-*/bin/node")),
  ];
  const statement = provenance({
    revision: String(run("git", ["rev-parse", "HEAD"])).trim(),
    version,
    inputs: inputs.map(artifact),
    outputs: outputs.map(artifact),
  });
  const made = [...outputs, write("provenance.json", `${JSON.stringify(statement, null, 2)}\n`)];
  for (const path of made) process.stdout.write(`${artifact(path).digest.sha256}  ${basename(path)}\n`);
}

if (import.meta.main) main();
