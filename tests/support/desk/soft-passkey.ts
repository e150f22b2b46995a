/** For tests without a browser: a passkey that answers as a device does. */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const PRESENT_AND_VERIFIED = 0x05;
const WITH_KEY = 0x40;

export class SoftPasskey {
  readonly #origin: string;
  readonly #id = randomBytes(16);
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  #counter = 0;

  /** `origin`: of the desk that it is asked by. */
  constructor(origin: string) {
    this.#origin = origin;
  }

  /** The answer to the options of an enrolment. */
  created(challenge: string) {
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    // CBOR, as COSE has the key and WebAuthn the attestation "none".
    const key = Buffer.concat([
      Buffer.from("a5010203262001215820", "hex"),
      Buffer.from(x, "base64url"),
      Buffer.from("225820", "hex"),
      Buffer.from(y, "base64url"),
    ]);
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, this.#id.length]), this.#id, key]);
    const data = Buffer.concat([this.#data(PRESENT_AND_VERIFIED | WITH_KEY), credential]);
    const attestation = Buffer.concat([
      Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex"),
      Buffer.from([data.length]),
      data,
    ]);
    return this.#answer({
      clientDataJSON: this.#client("webauthn.create", challenge).toString("base64url"),
      attestationObject: attestation.toString("base64url"),
    });
  }

  /** The answer to the options of a sign-in. */
  signed(challenge: string) {
    this.#counter += 1;
    const client = this.#client("webauthn.get", challenge);
    const data = this.#data(PRESENT_AND_VERIFIED);
    const signature = sign("sha256", Buffer.concat([data, sha256(client)]), this.#keys.privateKey);
    return this.#answer({
      clientDataJSON: client.toString("base64url"),
      authenticatorData: data.toString("base64url"),
      signature: signature.toString("base64url"),
    });
  }

  #client(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false }));
  }

  #data(flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    return Buffer.concat([sha256(new URL(this.#origin).hostname), Buffer.from([flags]), counter]);
  }

  #answer(response: Readonly<Record<string, string>>) {
    const id = this.#id.toString("base64url");
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }
}

function sha256(content: Buffer | string): Buffer {
  return createHash("sha256").update(content).digest();
}
