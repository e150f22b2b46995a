import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { LedgerCheckpointsResponse } from "../../src/contract/ledger/ledger.ts";
import { openLedgerReader } from "../../src/ledger/reader.ts";
import { type LedgerWriter, openLedgerWriter } from "../../src/ledger/writer.ts";
import { Operator } from "../support/operations/operator.ts";
import { OPENSSL_MISSING, TestAuthority } from "../support/timestamp/authority.ts";
import { replying, TestAuthorityServer } from "../support/timestamp/authority-server.ts";
import { foundTown, TOWN_SLUG } from "../support/towns/town.ts";

/** Seals with a time-stamp authority beside them, through the command line. */

const Sealed = z.object({ seals: z.int(), tree_size: z.int().nullable(), external_proof: z.string() });

describe.skipIf(OPENSSL_MISSING !== undefined)(
  `a time-stamp authority (openssl: ${OPENSSL_MISSING ?? "there"})`,
  () => {
    let operator: Operator;
    let authority: TestAuthority;
    let server: TestAuthorityServer;
    let env: Record<string, string>;

    beforeAll(async () => {
      [operator, authority] = [new Operator(), new TestAuthority()];
      server = await TestAuthorityServer.start((_query, response) => response.destroy());
      env = { TSA_URL: server.url, TSA_CA_FILE: authority.caFile };
      await foundTown(operator);
    });
    afterAll(async () => {
      await server[Symbol.asyncDispose]();
      authority[Symbol.dispose]();
      operator[Symbol.dispose]();
    });

    const clock = (hour: number) => ["--clock", `2026-05-01T${String(hour).padStart(2, "0")}:00:00Z`];

    /** Seals at that hour, what is new being one more step of the city. */
    async function seal(hour: number, step: "pause" | "resume" | undefined) {
      if (step !== undefined) await operator.ok(["city", step, TOWN_SLUG, ...clock(hour)]);
      const { code, stdout, stderr } = await operator.run(["seal", "--now", "--json", ...clock(hour)], {
        env,
      });
      expect(code, stderr).toBe(0);
      return { ...Sealed.parse(JSON.parse(stdout)), stderr };
    }

    function proofs() {
      using reader = openLedgerReader(operator.home.ledger);
      return reader.externalProofs().map((proof) => ({
        ...proof,
        note: reader.checkpointAt(proof.size)?.note ?? "",
      }));
    }

    async function released() {
      await operator.ok(["build"], { env });
      const path = join(operator.home.current, "site/api/v1/ledger-checkpoints.json");
      return LedgerCheckpointsResponse.parse(JSON.parse(readFileSync(path, "utf8")));
    }

    test("that is down leaves the seal standing, and its proof pending", async () => {
      const { seals, external_proof, stderr } = await seal(8, undefined);
      expect({ seals, external_proof }).toEqual({ seals: 1, external_proof: "pending" });
      expect(stderr).toMatch(/^external proof of checkpoint \d+: 127.0.0.1:\d+: could not be reached .*\n$/);
      expect(await released()).toMatchObject({
        external_timestamping_active: true,
        externally_confirmed: false,
        checkpoints: [{ external_proof: { status: "pending", proof_sha256: null }, timestamp_url: null }],
      });
    });

    test("whose answer was tampered with is refused aloud, and nothing of it is published", async () => {
      server.answer = replying((query) => {
        const reply = authority.reply(query);
        reply[reply.length - 1] = (reply.at(-1) ?? 0) ^ 1;
        return reply;
      });
      const { external_proof, stderr } = await seal(9, "pause");
      expect(external_proof).toBe("failed");
      expect(stderr.match(/^EXTERNAL PROOF REJECTED: .*the signature does not verify/gm)).toHaveLength(2);
      expect(proofs().map(({ status, token }) => [status, token])).toEqual([
        ["failed", null],
        ["failed", null],
      ]);
      expect(await released()).toMatchObject({
        externally_confirmed: false,
        checkpoints: [{ external_proof: { status: "failed" }, timestamp_url: null }, {}],
      });
    });

    test("that replays an earlier answer is refused", async () => {
      const [first] = proofs();
      const { queries } = server;
      const old = queries.at(-1); // of the older checkpoint: the newest is asked for first
      server.answer = replying(() => authority.reply(old ?? Buffer.alloc(0)));
      const { stderr } = await seal(10, undefined);
      expect(first?.status).toBe("failed");
      expect(stderr).toMatch(/is over other bytes/);
      expect(stderr).toMatch(/the nonce differs/);
    });

    test("is asked while others may write, and whoever still writes then goes first", async () => {
      const writers: LedgerWriter[] = [];
      const { ledger, keys } = operator.home;
      server.answer = (query, response) => {
        if (writers.length === 0) writers.push(openLedgerWriter(ledger, { keysDir: keys, clock: () => 0 }));
        replying((asked) => authority.reply(asked))(query, response);
      };
      const { stderr } = await seal(10, undefined);
      for (const writer of writers) writer.close();
      expect(stderr).toMatch(/^external proof: not recorded: another process .* The seal is valid; /);
      expect(proofs().map(({ status }) => status)).toEqual(["failed", "failed"]);
    });

    test("that works again proves all that waited, and openssl agrees", async () => {
      server.answer = replying((query) => authority.reply(query));
      const before = server.queries.length;
      const { external_proof, stderr } = await seal(11, "resume");
      expect({ external_proof, stderr }).toEqual({ external_proof: "verified", stderr: "" });
      expect(server.queries).toHaveLength(before + 3);
      const proven = proofs();
      expect(proven.map(({ status }) => status)).toEqual(["verified", "verified", "verified"]);
      for (const { note, token } of proven) {
        expect(authority.verify(note, token ?? Buffer.alloc(0))).toContain("Verification: OK");
        expect(authority.verify(`${note} `, token ?? Buffer.alloc(0))).toContain("FAILED");
      }
      const { checkpoints, ...state } = await released();
      expect(state).toMatchObject({ external_timestamping_active: true, externally_confirmed: true });
      expect(
        checkpoints.map(({ external_proof, tree_size }) => [tree_size, external_proof.proof_sha256]),
      ).toEqual(proven.map(({ size, sha256 }) => [size, sha256]).reverse());
      expect(checkpoints[0]?.timestamp_url).toMatch(/\/ledger\/timestamps\/\d+\.tsr$/);
    });

    test("is not asked again for what is proved", async () => {
      const before = server.queries.length;
      expect(await seal(12, undefined)).toMatchObject({ seals: 0, external_proof: "verified", stderr: "" });
      expect(server.queries).toHaveLength(before);
    });

    test("that is unset is asked for nothing", async () => {
      await operator.ok(["city", "pause", TOWN_SLUG, ...clock(13)]);
      const output = await operator.ok(["seal", "--now", "--json", ...clock(13)]);
      expect(Sealed.parse(JSON.parse(output))).toMatchObject({ seals: 1, external_proof: "none" });
    });

    test("without readable roots is refused before anything is sealed", async () => {
      await operator.ok(["city", "resume", TOWN_SLUG, ...clock(14)]);
      const refused = (caFile: string) =>
        operator.refused(["seal", "--now", ...clock(14)], {
          env: { TSA_URL: server.url, TSA_CA_FILE: caFile },
        });
      expect(await refused("")).toMatchInlineSnapshot(
        `"presence: TSA_CA_FILE must be set when TSA_URL is set: name a PEM file with the root certificates of the authority"`,
      );
      expect(await refused(join(operator.folder, "none.pem"))).toMatchInlineSnapshot(
        `"presence: TSA_CA_FILE FOLDER/none.pem: ENOENT: no such file or directory, open 'FOLDER/none.pem': name a PEM file with the root certificates of the timestamp authority, or unset TSA_URL"`,
      );
      expect(await refused(operator.write("empty.pem", "no roots"))).toMatchInlineSnapshot(
        `"presence: TSA_CA_FILE FOLDER/empty.pem: there is no certificate in PEM form: name a PEM file with the root certificates of the timestamp authority, or unset TSA_URL"`,
      );
      expect(await seal(15, undefined)).toMatchObject({ seals: 1, external_proof: "verified" });
    });
  },
);
