/** For tests: a time-stamp authority of our own, made with the openssl program, and answers of all kinds that it can be made to give. */

import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Why such tests are skipped, or undefined. */
export const OPENSSL_MISSING =
  spawnSync("openssl", ["version"]).status === 0 ? undefined : "openssl is not installed";

export interface AuthorityOptions {
  readonly key?: "ec" | "rsa";
  readonly usage?: string; // the signer's extensions, in openssl's words
  readonly until?: string; // end of the signer's certificate, YYYYMMDDHHMMSSZ
  readonly essHash?: "sha1" | "sha256";
}

const KEY_OPTIONS = {
  ec: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
  rsa: ["-newkey", "rsa:2048"],
} as const;
const FOR_STAMPS = "extendedKeyUsage = critical, timeStamping\nkeyUsage = critical, digitalSignature";

export class TestAuthority {
  readonly folder = mkdtempSync(join(tmpdir(), "authority-"));
  /** The roots to trust, as PEM. */
  readonly caFile = join(this.folder, "ca.pem");
  readonly signerFile = join(this.folder, "tsa.pem");

  constructor(options: AuthorityOptions = {}) {
    const { key = "ec", usage = FOR_STAMPS, until = "20991231235959Z", essHash = "sha256" } = options;
    writeFileSync(join(this.folder, "openssl.cnf"), configuration(usage, essHash));
    writeFileSync(join(this.folder, "index.txt"), "");
    mkdirSync(join(this.folder, "issued"));
    const common = ["-config", "openssl.cnf", "-nodes", ...KEY_OPTIONS[key]];
    this.openssl([
      ...["req", "-x509", ...common, "-keyout", "ca.key", "-out", "ca.pem"],
      ...["-days", "36500", "-subj", "/CN=Test Root"],
    ]);
    this.openssl([
      ...["req", "-new", ...common, "-keyout", "tsa.key", "-out", "tsa.csr"],
      ...["-subj", "/O=Test/CN=Test TSA"],
    ]);
    this.openssl([
      ...["ca", "-batch", "-notext", "-config", "openssl.cnf", "-in", "tsa.csr", "-out", "tsa.pem"],
      ...["-startdate", "20000101000000Z", "-enddate", until],
    ]);
  }

  get caPem(): string {
    return readFileSync(this.caFile, "utf8");
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), "utf8");
  }

  /** The DER of the answer to the DER of a query. */
  reply(query: Uint8Array): Buffer {
    writeFileSync(join(this.folder, "query.tsq"), query);
    this.openssl([
      ...["ts", "-reply", "-config", "openssl.cnf", "-queryfile", "query.tsq", "-out", "reply.tsr"],
    ]);
    return readFileSync(join(this.folder, "reply.tsr"));
  }

  /** An answer around any content, signed as the options say: for what openssl's own authority refuses to make. */
  forge(info: Uint8Array, options: readonly string[] = ["-cades"]): Buffer {
    writeFileSync(join(this.folder, "info.der"), info);
    this.openssl([
      ...["cms", "-sign", "-binary", "-nodetach", "-md", "sha256", "-econtent_type", "id-smime-ct-TSTInfo"],
      ...[
        "-in",
        "info.der",
        "-signer",
        "tsa.pem",
        "-inkey",
        "tsa.key",
        "-outform",
        "DER",
        "-out",
        "token.der",
      ],
      ...options,
    ]);
    const token = readFileSync(join(this.folder, "token.der"));
    return sequence(Buffer.concat([Buffer.from("3003020100", "hex"), token])); // status: granted
  }

  /** Another certificate with the signer's key, issuer and number. Returns its file. */
  twin(): string {
    const { serialNumber } = new X509Certificate(readFileSync(this.signerFile));
    this.openssl([
      ...[
        "x509",
        "-req",
        "-in",
        "tsa.csr",
        "-out",
        "twin.pem",
        "-days",
        "30",
        "-set_serial",
        `0x${serialNumber}`,
      ],
      ...["-CA", "ca.pem", "-CAkey", "ca.key", "-extfile", "openssl.cnf", "-extensions", "signer"],
    ]);
    return "twin.pem";
  }

  /**
   * ring.pem: two authorities that certified each other, our root being one. The other one, self-signed too, is far.pem, and
   * near.pem where it allows no authority below it.
   */
  ring(): void {
    const extensions = (section: string) => [
      "-extfile",
      "openssl.cnf",
      "-extensions",
      section,
      "-days",
      "30",
    ];
    const [own, other] = [
      ["-CA", "ca.pem", "-CAkey", "ca.key"],
      ["-CA", "far.pem", "-CAkey", "far.key"],
    ] as const;
    this.openssl([
      ...["req", "-new", "-config", "openssl.cnf", "-nodes", ...KEY_OPTIONS.ec],
      ...["-keyout", "far.key", "-out", "far.csr", "-subj", "/CN=Other Root"],
    ]);
    this.openssl(["x509", "-x509toreq", "-in", "ca.pem", "-signkey", "ca.key", "-out", "ca.csr"]);
    const issue = (request: string, out: string, ...more: readonly string[]) =>
      this.openssl(["x509", "-req", "-in", request, "-out", out, ...more]);
    issue("far.csr", "far.pem", "-signkey", "far.key", ...extensions("root"));
    issue("far.csr", "near.pem", "-signkey", "far.key", ...extensions("near"));
    issue("far.csr", "far-by-own.pem", ...own, ...extensions("root"));
    issue("ca.csr", "own-by-far.pem", ...other, ...extensions("root"));
    writeFileSync(join(this.folder, "ring.pem"), this.read("far-by-own.pem") + this.read("own-by-far.pem"));
  }

  /** What `openssl ts -verify` says of an answer; it ends with "Verification: OK" when it is good. */
  verify(message: string | Uint8Array, response: Uint8Array): string {
    writeFileSync(join(this.folder, "message"), message);
    writeFileSync(join(this.folder, "check.tsr"), response);
    const args = ["ts", "-verify", "-data", "message", "-in", "check.tsr", "-CAfile", "ca.pem"];
    const { stdout, stderr } = spawnSync("openssl", args, { cwd: this.folder, encoding: "utf8" });
    return `${stderr}${stdout}`.trimEnd();
  }

  openssl(args: readonly string[]): void {
    const { status, stderr } = spawnSync("openssl", args, { cwd: this.folder, encoding: "utf8" });
    if (status !== 0) throw new Error(`openssl ${args.join(" ")}:\n${stderr}`);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** A DER SEQUENCE of 256 to 65,535 bytes. */
export function sequence(content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0x30, 0x82, content.length >> 8, content.length & 0xff]), content]);
}

function configuration(usage: string, essHash: string): string {
  return `
[req]
distinguished_name = subject
x509_extensions = root
[subject]
[root]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[near]
basicConstraints = critical, CA:true, pathlen:0
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[ca]
default_ca = issuing
[issuing]
database = index.txt
new_certs_dir = issued
certificate = ca.pem
private_key = ca.key
rand_serial = yes
default_md = sha256
policy = any
x509_extensions = signer
unique_subject = no
[any]
organizationName = optional
commonName = supplied
[signer]
basicConstraints = CA:false
authorityKeyIdentifier = keyid
${usage}
[tsa]
default_tsa = stamps
[stamps]
serial = serial
signer_cert = tsa.pem
certs = ca.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_chain = no
ess_cert_id_alg = ${essHash}
`;
}
