// Key pairs for vectors. They are made from fixed numbers, so that every run of the mint writes the same files.
import { createECDH, createHash, createHmac, createPrivateKey, createPublicKey } from "node:crypto";

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Returns the Ed25519 key pair whose private key is the byte `number`, 32 times. */
export function ed25519Pair(number) {
  const seed = Buffer.alloc(32, number);
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(privateKey);
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  return { seed, privateKey, publicKey, raw };
}

/** Returns the P-256 key pair whose private key is the byte `number`, 32 times. */
export function p256Pair(number) {
  const d = Buffer.alloc(32, number);
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(d);
  const point = curve.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((n) => n.toString("base64url"));
  const jwk = { kty: "EC", crv: "P-256", x, y };
  return { d, jwk, publicKey: createPublicKey({ key: jwk, format: "jwk" }) };
}

/** Signs with ECDSA over P-256 and SHA-256. The nonce comes from the key and the text: `node:crypto` draws random ones. */
export function signP256({ d }, text, encoding = "der") {
  const key = BigInt(`0x${d.toString("hex")}`);
  const nonce = createHmac("sha256", d).update(text).digest();
  const k = BigInt(`0x${nonce.toString("hex")}`) % ORDER;
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(bytesOf(k));
  const r = BigInt(`0x${curve.getPublicKey("hex").slice(2, 66)}`) % ORDER;
  const hash = BigInt(`0x${createHash("sha256").update(text).digest("hex")}`);
  const s = (inverse(k) * ((hash + r * key) % ORDER)) % ORDER;
  if (encoding === "ieee-p1363") return Buffer.concat([bytesOf(r), bytesOf(s)]);
  const [first, second] = [integer(r), integer(s)];
  return Buffer.concat([Buffer.from([0x30, first.length + second.length]), first, second]);
}

const bytesOf = (number) => Buffer.from(number.toString(16).padStart(64, "0"), "hex");

/** Returns a DER integer: without leading zeros, and positive. */
function integer(number) {
  let bytes = bytesOf(number);
  while (bytes[0] === 0 && bytes[1] < 0x80) bytes = bytes.subarray(1);
  if (bytes[0] >= 0x80) bytes = Buffer.concat([Buffer.alloc(1), bytes]);
  return Buffer.concat([Buffer.from([2, bytes.length]), bytes]);
}

/** Returns the inverse modulo the curve's order, by Fermat's little theorem. */
function inverse(number) {
  let [result, base, exponent] = [1n, number % ORDER, ORDER - 2n];
  for (; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % ORDER;
    base = (base * base) % ORDER;
  }
  return result;
}
