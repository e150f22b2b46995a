import { spawnSync } from "node:child_process";
import { OperatorError } from "../../../src/kernel/errors.ts";
import type { NoteSigner, NoteVerifier } from "../../../src/ledger/keys/note.ts";

/** For tests: a signer whose private key only another process has. It gets the text on stdin and answers with the note. */
export class SignerProcess implements NoteSigner {
  readonly name: string;
  readonly keyId: string;
  readonly vkey: string;
  readonly #program: string;

  constructor({ name, keyId, vkey }: NoteVerifier, program: string) {
    this.name = name;
    this.keyId = keyId;
    this.vkey = vkey;
    this.#program = program;
  }

  sign(text: string): string {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "-e", this.#program],
      {
        input: text,
        encoding: "utf8",
      },
    );
    if (status !== 0) throw new OperatorError(`the signer refused: ${stderr.trim()}`);
    return stdout;
  }
}

/** A program that signs with the key of this file. */
export function signingProgram(keyFile: string): string {
  const module = (name: string) =>
    JSON.stringify(new URL(`../../../src/ledger/keys/${name}`, import.meta.url).href);
  return `
    import { readFileSync } from "node:fs";
    import { parseSkey } from ${module("note.ts")};
    const { skey } = JSON.parse(readFileSync(${JSON.stringify(keyFile)}, "utf8"));
    process.stdout.write(parseSkey(skey).sign(readFileSync(0, "utf8")));
  `;
}
