/** Cuts a stream of HTTP/1.1 messages that say their length into messages. */
export class HttpMessages {
  #bytes = Buffer.alloc(0);

  /** The messages that are whole with these bytes. */
  push(chunk: Buffer): Buffer[] {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const messages: Buffer[] = [];
    for (let length = this.#first(); length !== undefined; length = this.#first()) {
      messages.push(this.#bytes.subarray(0, length));
      this.#bytes = this.#bytes.subarray(length);
    }
    return messages;
  }

  #first(): number | undefined {
    const head = this.#bytes.indexOf("\r\n\r\n");
    if (head < 0) return undefined;
    const text = this.#bytes.subarray(0, head).toString("latin1");
    const length = head + 4 + Number(/^content-length: *(\d+)$/im.exec(text)?.[1] ?? 0);
    return length <= this.#bytes.length ? length : undefined;
  }
}
