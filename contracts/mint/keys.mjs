// Key pairs for vectors. They are made from fixed numbers, so that every run of the mint writes the same files.
import {
  checkPrimeSync,
  createECDH,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  sign,
} from "node:crypto";

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Returns the Ed25519 key pair whose private key is the byte `number`, 32 times. */
export function ed25519Pair(number) {
  const seed = Buffer.alloc(32, number);
  const key = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const privateKey = createPrivateKey({ key, format: "der", type: "pkcs8" });
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
  const privateKey = createPrivateKey({
    key: { ...jwk, d: d.toString("base64url") },
    format: "jwk",
  });
  return { d, jwk, privateKey, publicKey: createPublicKey(privateKey) };
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

/** Returns the inverse of a number by Euclid's algorithm. */
function inverse(number, modulus = ORDER) {
  let [a, b, x, y] = [number % modulus, modulus, 1n, 0n];
  while (a > 1n) [a, b, x, y] = [b % a, a, y - (b / a) * x, x];
  return ((x % modulus) + modulus) % modulus;
}

/** Returns the RSA key pair of 2,048 bits whose primes are the first after hashes of `number`. */
export function rsaPair(number) {
  const [p, q] = ["p", "q"].map((name) => primeAfter(`${name}${number}`));
  const [n, e, phi] = [p * q, 65_537n, (p - 1n) * (q - 1n)];
  const d = inverse(e, phi);
  const text = (value) => {
    const hex = value.toString(16);
    return Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex").toString(
      "base64url",
    );
  };
  const numbers = { n, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) };
  const members = Object.entries(numbers).map(([name, value]) => [name, text(value)]);
  const jwk = { kty: "RSA", ...Object.fromEntries(members) };
  const privateKey = createPrivateKey({ key: jwk, format: "jwk" });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** Returns a self-signed X.509 certificate (PEM) of an RSA key pair. */
export function certificateOf({ privateKey, publicKey }, name) {
  const algorithm = der(0x30, Buffer.from("06092a864886f70d01010b0500", "hex"));
  const commonName = der(0x30, Buffer.from("0603550403", "hex"), der(0x0c, Buffer.from(name)));
  const subject = der(0x30, der(0x31, commonName));
  const dates = ["260101000000Z", "360101000000Z"].map((date) => der(0x17, Buffer.from(date)));
  const key = publicKey.export({ format: "der", type: "spki" });
  const body = der(0x30, integer(1n), algorithm, subject, der(0x30, ...dates), subject, key);
  const signature = Buffer.concat([Buffer.alloc(1), sign("sha256", body, privateKey)]);
  const text = der(0x30, body, algorithm, der(0x03, signature)).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${text.replaceAll(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

/** Encodes one DER value. */
function der(tag, ...parts) {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function primeAfter(seed) {
  const block = (n) => createHash("sha512").update(`${seed} ${n}`).digest("hex");
  // The two highest bits make the product exactly 2,048 bits long.
  let number = BigInt(`0x${block(1)}${block(2)}`) | (3n << 1022n) | 1n;
  while (!checkPrimeSync(number)) number += 2n;
  return number;
}
