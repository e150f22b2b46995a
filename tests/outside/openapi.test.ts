import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exampleAnswer } from "../../src/render/reference/examples.ts";
import { openApiDocument } from "../../src/render/reference/openapi.ts";
import { cityIndex } from "../../src/resources/cities/city-index.ts";
import { npmPackages, output, scriptOutput } from "../support/outside.ts";
import { isTrial } from "../support/trial.ts";

/** What linters and generators of clients make of /openapi.json; only in the long form, since npm has to bring them first. */

const BIN = join(import.meta.dirname, "../../node_modules/.bin");
/** Generated files do not name the endings of those that they import. */
const STRICT = [
  "--noEmit",
  "--strict",
  ...["--target", "es2022", "--lib", "es2023,dom,dom.iterable", "--types", "node"],
  ...[
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
    "--allowImportingTsExtensions",
    "--skipLibCheck",
  ],
];

let folder: string;
let document: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "presence-openapi-"));
  document = join(folder, "openapi.json");
  writeFileSync(document, JSON.stringify(openApiDocument("https://presence.example", "trial")));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.runIf(isTrial)("linters find nothing by their recommended rules", () => {
  test("Redocly", () => {
    const said = output(join(BIN, "redocly"), ["lint", "--format", "json", document], folder);
    expect(JSON.parse(said).problems).toEqual([]);
  });

  test("Spectral", () => {
    const packages = npmPackages({ "@stoplight/spectral-cli": "6.16.3" });
    const rules = join(folder, "spectral.yaml");
    writeFileSync(rules, 'extends: ["spectral:oas"]\n');
    const args = ["lint", document, "--ruleset", rules, "--format", "json", "--fail-severity", "hint"];
    const said = output(join(packages, "node_modules/.bin/spectral"), args, folder);
    expect(JSON.parse(said.replace(/\]\s*No results.*/s, "]"))).toEqual([]);
  });
});

interface Generator {
  readonly program: string;
  readonly packages: Readonly<Record<string, string>>;
  /** Arguments for a document and a new folder. */
  readonly args: (document: string, to: string) => readonly string[];
  /** The type of a schema, with the folder as `.`. */
  readonly typeOf: (name: string) => string;
}

const GENERATORS: readonly Generator[] = [
  {
    program: "openapi-typescript",
    packages: { "openapi-typescript": "7.13.0", typescript: "5.9.3" },
    args: (from, to) => [from, "--output", join(to, "api.ts")],
    typeOf: (name) => `import("./api.ts").components["schemas"]["${name}"]`,
  },
  {
    program: "openapi-ts",
    packages: { "@hey-api/openapi-ts": "0.95.0", typescript: "5.9.3" },
    args: (from, to) => ["--input", from, "--output", join(to, "hey")],
    typeOf: (name) => `import("./hey/types.gen.ts").${name}`,
  },
  {
    program: "swagger-typescript-api",
    packages: { "swagger-typescript-api": "13.13.0" },
    args: (from, to) => ["generate", "--path", from, "--output", to, "--name", "api.ts", "--silent"],
    typeOf: (name) => `import("./api.ts").${name}`,
  },
  {
    program: "orval",
    packages: { orval: "7.13.2" },
    args: (from, to) => ["--input", from, "--output", join(to, "api.ts"), "--client", "fetch"],
    typeOf: (name) => `import("./api.ts").${name}`,
  },
  {
    program: "openapi",
    packages: { "openapi-typescript-codegen": "0.31.0" },
    args: (from, to) => ["--input", from, "--output", join(to, "api"), "--client", "fetch"],
    typeOf: (name) => `import("./api/models/${name}.ts").${name}`,
  },
];

describe.runIf(isTrial)("generated clients compile by strict rules, and a misspelt field does not", () => {
  const types = join(import.meta.dirname, "../../node_modules/@types");

  test.each(GENERATORS)("$program $packages", ({ program, packages, args, typeOf }) => {
    const to = mkdtempSync(join(folder, "client-"));
    output(join(npmPackages(packages), "node_modules/.bin", program), args(document, to), to);
    const use = `
      declare const index: ${typeOf("CityIndexResponse")};
      declare const record: ${typeOf("EntityResponse")};
      export const name: string = record.entity.name;
      export const score: number | null = record.presence_score.pps;
      export const searches: number | undefined = index.demand?.searches;
      // @ts-expect-error misspelt
      record.entity.nmae;
      // @ts-expect-error misspelt
      index.demand?.serches;
      // @ts-expect-error may be null
      index.demand.searches;
      // @ts-expect-error another type
      export const other: string = record.presence_score.pps;
    `;
    writeFileSync(join(to, "use.ts"), use);
    output(join(BIN, "tsc"), [...STRICT, "--typeRoots", types, "use.ts"], to);
  });
});

test.runIf(isTrial)(
  "a generated validator takes an example with further members, and refuses another type",
  () => {
    const packages = {
      "openapi-zod-client": "1.18.3",
      "@zodios/core": "10.9.6",
      zod: "3.25.76",
      axios: "1.13.2",
    };
    const path = join(folder, "validators.ts");
    const options = [document, "--output", path, "--export-schemas"];
    output(join(npmPackages(packages), "node_modules/.bin/openapi-zod-client"), options, folder);
    const answer = JSON.parse(JSON.stringify(exampleAnswer(cityIndex)));
    const more = {
      ...answer,
      added: 1,
      rankings: answer.rankings.map((row: object) => ({ ...row, added: [] })),
    };
    const said = scriptOutput(
      packages,
      `import { pathToFileURL } from "node:url";
     import { copyFileSync } from "node:fs";
     const [path, ...answers] = process.argv.slice(2);
     copyFileSync(path, new URL("./validators.ts", import.meta.url));
     const { schemas } = await import("./validators.ts");
     console.log(JSON.stringify(answers.map((text) => schemas.CityIndexResponse.safeParse(JSON.parse(text)).success)));`,
      path,
      ...[answer, more, { ...answer, rankings: "none" }].map((value) => JSON.stringify(value)),
    );
    expect(JSON.parse(said)).toEqual([true, true, false]);
  },
);
