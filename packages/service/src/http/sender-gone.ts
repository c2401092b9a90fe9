/** The connection ended before the request did: there is nobody to answer. */
export class SenderGone extends Error {
  constructor() {
    super("the sender went away");
    this.name = new.target.name;
  }
}
