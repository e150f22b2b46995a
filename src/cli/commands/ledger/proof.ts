import type { Command } from "@commander-js/extra-typings";
import { OperatorError } from "../../../kernel/errors.ts";
import { nodeHash } from "../../../kernel/merkle-hash.ts";
import { writeText } from "../../../kernel/text/terminal.ts";
import { type CommandContext, printJson } from "../../../operations/context.ts";
import { FormatError, toHex } from "../../../proof/tlog/bytes.ts";
import { parseTlogProof } from "../../../proof/tlog/proof.ts";
import { rowProof } from "../../../proof/tlog/tile-tree.ts";
import { whole } from "../../command.ts";
import { publicFiles, withPublicFiles } from "../../public-files-option.ts";

export function define(command: Command, context: CommandContext): void {
  withPublicFiles(command)
    .argument("<row>", "ledger row, from 1", whole("<row>"))
    .option("--size <rows>", "in an earlier signed tree of this size (default: the newest)", whole("--size"))
    .option("--json", "print index, hashes and checkpoint as JSON")
    .action(async (row, { json, size, ...place }) => {
      const { files, name } = publicFiles(context, place);
      try {
        const proof = await rowProof({ row, size }, (path) => files.read(`ledger/${path}`), nodeHash);
        if (!json) writeText(context.stdout, proof);
        else {
          const { index, path, checkpoint } = parseTlogProof(proof);
          printJson(context, { index, path: path.map(toHex), checkpoint });
        }
      } catch (error) {
        if (error instanceof FormatError)
          throw new OperatorError(`${name}: ${error.message}`, { cause: error });
        throw error;
      }
    });
}
