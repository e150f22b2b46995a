import type { Command } from "commander";
import { OperatorError } from "../../../kernel/errors.ts";
import { nodeHash } from "../../../kernel/merkle-hash.ts";
import type { CommandContext } from "../../../operations/context.ts";
import { toHex } from "../../../tlog/bytes.ts";
import { FormatError } from "../../../tlog/format-error.ts";
import { rowProof } from "../../../tlog/row-proof.ts";
import { parseTlogProof } from "../../../tlog/tlog-proof.ts";
import { type PublicFilesOptions, publicFiles, withPublicFiles } from "../../public-files-option.ts";
import { wholeNumber } from "../../whole-number.ts";

interface ProofOptions extends PublicFilesOptions {
  readonly size?: string;
  readonly json?: boolean;
}

export function defineProof(command: Command, context: CommandContext): void {
  withPublicFiles(command)
    .argument("<row>", "ledger row, from 1")
    .option("--size <rows>", "in an earlier signed tree of this size (default: the newest)")
    .option("--json", "print index, hashes and checkpoint as JSON")
    .action(async (row: string, options: ProofOptions) => {
      const { files, name } = publicFiles(context, options);
      const request = {
        row: wholeNumber(row, "<row>"),
        size: options.size === undefined ? undefined : wholeNumber(options.size, "--size"),
      };
      try {
        const proof = await rowProof(request, (path) => files.read(`ledger/${path}`), nodeHash);
        context.stdout.write(options.json === true ? `${jsonProof(proof)}\n` : proof);
      } catch (error) {
        if (error instanceof FormatError)
          throw new OperatorError(`${name}: ${error.message}`, { cause: error });
        throw error;
      }
    });
}

function jsonProof(text: string): string {
  const { index, path, checkpoint } = parseTlogProof(text);
  return JSON.stringify({ index, path: path.map(toHex), checkpoint });
}
