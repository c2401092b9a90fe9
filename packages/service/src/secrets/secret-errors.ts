/** The keys cannot be used: not of their form, or not those of the database. The message holds none. */
export class SecretKeysError extends Error {
  readonly code = "CS_SECRET_KEYS";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A sealed secret does not open: another key, another place, or its text was changed. */
export class SecretRefusedError extends Error {
  readonly code = "CS_SECRET_REFUSED";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
