import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { OtherTree } from "../bench/against/side.ts";
import type { Figures } from "./measures.ts";

const PROJECT = join(import.meta.dirname, "../..");
const MAX_BYTES = 50_000_000;

/** The same measures by this folder's program in a checkout of another commit, with that commit's intake. */
export async function measureAgainst({
  ref,
  only,
  real,
}: {
  readonly ref: string;
  readonly only?: string;
  readonly real: string;
}): Promise<Figures[]> {
  using other = new OtherTree(PROJECT, ref);
  const program = join("build-scripts", "match");
  cpSync(join(PROJECT, program), join(other.folder, program), { recursive: true });
  const args = [
    join(program, "main.ts"),
    "--json",
    "--real",
    real,
    ...(only === undefined ? [] : ["--only", only]),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: other.folder,
    maxBuffer: MAX_BYTES,
  }).catch((failed: { stdout?: string }) => ({ stdout: failed.stdout ?? "" }));
  const { here }: { here: Figures[] } = JSON.parse(stdout);
  return here;
}
